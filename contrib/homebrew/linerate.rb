# Homebrew on Linux, built from a tag. After a release: set url and sha256
# (curl -L URL | sha256sum), then brew install --build-from-source ./linerate.rb
class Linerate < Formula
  desc "Measures network paths at every message size, and says what is in the way"
  homepage "https://github.com/linerate/linerate"
  url "https://github.com/linerate/linerate/archive/refs/tags/v0.1.0.tar.gz"
  # Not known before the tag is there; brew refuses to build with this one.
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "llvm" => :build
  depends_on "rust" => :build
  depends_on :linux

  def install
    ENV["CLANG"] = Formula["llvm"].opt_bin/"clang"
    system "cargo", "install", "--profile", "dist", "--features", "xdp,bpf,postgres", *std_cargo_args(path: "crates/linerate")
    system bin/"linerate", "man", "--folder", "man"
    man1.install Dir["man/*.1"]
    generate_completions_from_executable(bin/"linerate", "completions")
  end

  service do
    run [opt_bin/"linerate", "serve", "--key-file", etc/"linerate/serve.key"]
    keep_alive true
  end

  test do
    output = shell_output("#{bin}/linerate measure --no-config --schedule list:64 --time 500ms --format csv --quiet --no-report")
    assert_match(",ping-pong,64,", output)
  end
end
