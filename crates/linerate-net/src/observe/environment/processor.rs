//! What the processor is, and whether it is a real one.

use crate::observe::Unread;
use crate::observe::proc_text::{field, read_value};

/// The model of the first processor of `/proc/cpuinfo`.
pub(in crate::observe) fn cpu_model(cpuinfo: &str) -> Result<String, Unread> {
    // x86, then MIPS, then POWER. ARM's kernels give no name.
    let found = ["model name", "cpu model", "cpu"].into_iter().find_map(|name| field(cpuinfo, name).ok());
    let model = found.filter(|model| !model.is_empty());
    model.map(str::to_owned).ok_or_else(|| Unread::Field("model name".to_owned()))
}

/// Whether simultaneous multithreading is active.  Source: sysfs-devices-system-cpu.
pub(super) fn smt() -> Result<bool, Unread> {
    match read_value("/sys/devices/system/cpu/smt/active")?.as_str() {
        "0" => Ok(false),
        "1" => Ok(true),
        other => Err(Unread::Number(other.to_owned())),
    }
}

/// The frequency governor of `cpu`.  Source: kernel documentation, admin-guide/pm/cpufreq.
pub(super) fn governor(cpu: u32) -> Result<String, Unread> {
    read_value(format!("/sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor"))
}

/// The hypervisor, or `none`.
pub(super) fn hypervisor(cpuinfo: &str) -> Result<String, Unread> {
    let value = |path: &str| read_value(path).ok();
    name_hypervisor(&Signs {
        declared: value("/sys/hypervisor/type"),
        vendor: value("/sys/class/dmi/id/sys_vendor"),
        product: value("/sys/class/dmi/id/product_name"),
        flags: Flags::of(cpuinfo),
    })
}

/// Signs of a hypervisor.
struct Signs {
    /// What the kernel says it is: `xen`, or nothing.
    declared: Option<String>,
    /// Maker of the system, by its firmware.
    vendor: Option<String>,
    /// Name of the system, by its firmware.
    product: Option<String>,
    flags: Flags,
}

/// What the processor's flags show about a hypervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::observe) enum Flags {
    /// There is one: CPUID leaf 1, ECX bit 31.
    Virtual,
    /// No hypervisor.
    Real,
    /// A processor that has no such flag, as ARM.
    Silent,
}

impl Flags {
    /// What `/proc/cpuinfo` says. Only x86 has a field of that name.
    pub(in crate::observe) fn of(cpuinfo: &str) -> Self {
        match field(cpuinfo, "flags") {
            Ok(flags) if flags.split_whitespace().any(|flag| flag == "hypervisor") => Self::Virtual,
            Ok(_) => Self::Real,
            Err(_) => Self::Silent,
        }
    }
}

fn name_hypervisor(signs: &Signs) -> Result<String, Unread> {
    let firmware =
        [&signs.product, &signs.vendor].into_iter().flatten().find_map(|text| known_firmware(text));
    match (&signs.declared, firmware, signs.flags) {
        (Some(declared), _, _) => Ok(declared.clone()),
        (None, _, Flags::Real) => Ok("none".to_owned()),
        (None, Some(name), _) => Ok(name.to_owned()),
        (None, None, Flags::Virtual) => Ok("some hypervisor".to_owned()),
        (None, None, Flags::Silent) => Err(Unread::NoSign("neither processor nor firmware says")),
    }
}

/// The hypervisor that a firmware's text means.  Source: `dmi_vendor_table` of systemd's detect-virt.
fn known_firmware(text: &str) -> Option<&'static str> {
    const STARTS: [(&str, &str); 15] = [
        ("KVM", "kvm"),
        ("OpenStack", "kvm"),
        ("KubeVirt", "kvm"),
        ("Amazon EC2", "amazon"),
        ("QEMU", "qemu"),
        ("VMware", "vmware"),
        ("VMW", "vmware"),
        ("innotek GmbH", "virtualbox"),
        ("VirtualBox", "virtualbox"),
        ("Xen", "xen"),
        ("Bochs", "bochs"),
        ("Parallels", "parallels"),
        ("BHYVE", "bhyve"),
        ("Virtual Machine", "hyper-v"),
        ("Google Compute Engine", "google"),
    ];
    STARTS.into_iter().find(|(start, _)| text.starts_with(start)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(vendor: Option<&str>, product: Option<&str>, flags: Flags) -> Signs {
        Signs { declared: None, vendor: vendor.map(Into::into), product: product.map(Into::into), flags }
    }

    #[test]
    fn the_model_and_the_flag_are_those_of_the_first_processor() {
        let guest = "processor\t: 0\nmodel\t\t: 167\nmodel name\t: Intel(R) Xeon(R) Processor\nflags\t\t: fpu vme hypervisor lahf_lm\n";
        assert_eq!(cpu_model(guest).expect("a model"), "Intel(R) Xeon(R) Processor");
        assert_eq!(Flags::of(guest), Flags::Virtual);
        assert_eq!(Flags::of("flags\t\t: fpu vme\n"), Flags::Real);
        let arm = "processor\t: 0\nFeatures\t: fp asimd evtstrm\nCPU part\t: 0xd0c\n";
        assert_eq!(Flags::of(arm), Flags::Silent);
        assert_eq!(cpu_model(arm).expect_err("no name").to_string(), "no `model name` in it");
    }

    #[test]
    fn the_best_sign_names_the_hypervisor() {
        for (signs, name) in [
            (signs(None, None, Flags::Virtual), "some hypervisor"),
            (signs(None, None, Flags::Real), "none"),
            (signs(Some("QEMU"), Some("KVM Virtual Machine"), Flags::Virtual), "kvm"),
            (signs(Some("Microsoft Corporation"), Some("Virtual Machine"), Flags::Silent), "hyper-v"),
            (signs(Some("Amazon EC2"), Some("c7i.metal-24xl"), Flags::Real), "none"),
            (signs(Some("Dell Inc."), Some("PowerEdge R750"), Flags::Real), "none"),
            (Signs { declared: Some("xen".into()), ..signs(None, None, Flags::Virtual) }, "xen"),
        ] {
            assert_eq!(name_hypervisor(&signs).expect(name), name);
        }
        let arm = signs(Some("Ampere"), Some("Altra"), Flags::Silent);
        assert!(name_hypervisor(&arm).is_err(), "nothing said is not the same as none");
    }
}
