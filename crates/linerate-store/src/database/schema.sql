-- The history, format 1. The words with an @ differ between the two databases.

-- What runs are compared within. A path that was split off by hand has a hash of its own.
CREATE TABLE path (
  number @KEY,
  version @INTEGER NOT NULL,
  hash @TEXT NOT NULL,
  name @TEXT NOT NULL,
  UNIQUE (version, hash)
) @STRICT;

CREATE TABLE path_field (
  path @INTEGER NOT NULL REFERENCES path ON DELETE CASCADE,
  place @INTEGER NOT NULL,
  key @TEXT NOT NULL,
  value @TEXT NOT NULL,
  PRIMARY KEY (path, place)
) @CLUSTERED;

-- By hand: the runs of a path, or those with a fact (else key and value are empty), are shown under another.
CREATE TABLE alias (
  path @INTEGER NOT NULL REFERENCES path ON DELETE CASCADE,
  key @TEXT NOT NULL,
  value @TEXT NOT NULL,
  target @INTEGER NOT NULL REFERENCES path ON DELETE CASCADE,
  PRIMARY KEY (path, key, value)
) @CLUSTERED;

-- Equal facts of many runs are kept once.
CREATE TABLE environment (
  number @KEY,
  hash @TEXT NOT NULL UNIQUE
) @STRICT;

CREATE TABLE fact (
  environment @INTEGER NOT NULL REFERENCES environment ON DELETE CASCADE,
  key @TEXT NOT NULL,
  value @TEXT NOT NULL,
  PRIMARY KEY (environment, key)
) @CLUSTERED;

-- path: by its fingerprint. shown: where the aliases put it; computed from them.
CREATE TABLE run (
  number @KEY,
  id @TEXT NOT NULL UNIQUE,
  content @TEXT NOT NULL,
  path @INTEGER NOT NULL REFERENCES path,
  shown @INTEGER NOT NULL REFERENCES path,
  environment @INTEGER NOT NULL REFERENCES environment,
  started_us @INTEGER NOT NULL,
  started @TEXT NOT NULL,
  file @TEXT NOT NULL
) @STRICT;
CREATE INDEX run_shown ON run (shown, started_us, id);
CREATE INDEX run_path ON run (path, environment);
CREATE INDEX run_environment ON run (environment);

-- by_hand: 0 the run has it in its file, 1 somebody gave it here.
CREATE TABLE tag (
  run @INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  key @TEXT NOT NULL,
  value @TEXT NOT NULL,
  by_hand @INTEGER NOT NULL,
  PRIMARY KEY (run, key)
) @CLUSTERED;

CREATE TABLE figure_name (
  number @KEY,
  name @TEXT NOT NULL UNIQUE
) @STRICT;

-- better: 0 neither, 1 higher values, 2 lower values.
CREATE TABLE figure (
  run @INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,
  name @INTEGER NOT NULL REFERENCES figure_name,
  value @REAL NOT NULL,
  low @REAL,
  high @REAL,
  better @INTEGER NOT NULL,
  PRIMARY KEY (run, name)
) @CLUSTERED;

-- Gone after `prune`.
CREATE TABLE curve (
  run @INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE,
  bytes @BYTES NOT NULL
) @STRICT;

CREATE TABLE baseline (
  run @INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE
) @STRICT;

-- What the user said of a change: 1 confirmed, 2 muted.
CREATE TABLE change (
  identity @TEXT NOT NULL PRIMARY KEY,
  state @INTEGER NOT NULL
) @STRICT;
