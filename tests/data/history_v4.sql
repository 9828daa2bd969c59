-- SPDX-License-Identifier: GPL-3.0-or-later
-- The history of history_v1.sql after a Holdfast of schema 2 added a review to it, dumped as SQL. Never edited.
BEGIN TRANSACTION;
CREATE TABLE chain_head (
    id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    sequence INTEGER NOT NULL CHECK (sequence >= 0),
    hash     TEXT NOT NULL CHECK (length(hash) = 64)
) STRICT;
INSERT INTO chain_head VALUES(1,11,'8491f5045fac75868e3f25d24d0488d1c66ed111d8e15601241748d67cba0035');
CREATE TABLE events (
    sequence    INTEGER NOT NULL PRIMARY KEY CHECK (sequence >= 1),
    time        TEXT NOT NULL,
    kind        TEXT NOT NULL,
    subject     TEXT NOT NULL,
    detail_json TEXT NOT NULL CHECK (json_valid(detail_json)),
    previous    TEXT NOT NULL CHECK (length(previous) = 64),
    hash        TEXT NOT NULL CHECK (length(hash) = 64)
) STRICT;
INSERT INTO events VALUES(1,'2026-11-30T09:58:04.028Z','study started','study-1','{"number":1,"record":"0bfe7a90742f2c06540e223bb322ffa98fd58f723c921adddc5593cef6e8453c","row":"5f6edcb70a135b3be0885588fe6adb0b0b393ccfb013776f23af9c0197f8a732","state":"running"}','0000000000000000000000000000000000000000000000000000000000000000','012a9ad001755273e4e53e420bc75bbb31a8db6102a5aac70bc70b2810ef4cec');
INSERT INTO events VALUES(2,'2026-11-30T09:58:04.029Z','opening measured','study-1','{"last_sample":3,"opening":"b3b62ed815731614f2c464bbe0a3e2ecf96485ed05625a54ed1f67aa2247547d","sample_count":3,"samples":"aff0822bbb710c39b1ac73b62c2cac76a99c76525425731253f375556c65d1c1"}','012a9ad001755273e4e53e420bc75bbb31a8db6102a5aac70bc70b2810ef4cec','692775aa0f07ba43d0ab664983a9046bf791ed05045c7bc631947d3c28d8bac1');
INSERT INTO events VALUES(3,'2026-11-30T09:58:04.031Z','candidate queued','trial-1','{"number":1,"record":"67812cef0f6b89805362881e933fd0ace0ab67320f9f137afce9a94f3f83cdcf","row":"b9ad0d50a0f7f3bf1c555710ee9613185550aa212af4edb4ddb53ce128f35615","state":"running"}','692775aa0f07ba43d0ab664983a9046bf791ed05045c7bc631947d3c28d8bac1','c2d31a250b6af1cf68dfff0d35ea0738e283f2d874641435f1c35c710b985bfc');
INSERT INTO events VALUES(4,'2026-11-30T09:58:04.031Z','gate passed','trial-1','{"gate":"build","record":"174285aaaa3d18f1d827c439f068bececddfe21463e3a4201881937f52d8a73c"}','c2d31a250b6af1cf68dfff0d35ea0738e283f2d874641435f1c35c710b985bfc','f73e873e505669b987fb0fd90bf047e6aef0b767385a3c70f17f7ac4a0656f2e');
INSERT INTO events VALUES(5,'2026-11-30T09:58:04.032Z','gate passed','trial-1','{"gate":"confirm","record":"60c4d64fb5feaed8fd689fc559b86e9f5b04018fc67081062736b3fffad1f4f0"}','f73e873e505669b987fb0fd90bf047e6aef0b767385a3c70f17f7ac4a0656f2e','2bbcf7acec052dce5fa1cae0caf9dcd95811058355a93a1d07f6936a64f610a7');
INSERT INTO events VALUES(6,'2026-11-30T09:58:04.033Z','question asked','trial-1','{"question":1,"record":"8c4162b87fcca4d6264f346b8a5833d9a391b2956125ec3c86fde088be131200","rounds":40}','2bbcf7acec052dce5fa1cae0caf9dcd95811058355a93a1d07f6936a64f610a7','b5554f6c7742ec8d38390bc92926450cdb82d5526a59451a7766d090ef746dd7');
INSERT INTO events VALUES(7,'2026-11-30T09:58:04.034Z','question answered','trial-1','{"answer":"confirmed","question":1}','b5554f6c7742ec8d38390bc92926450cdb82d5526a59451a7766d090ef746dd7','ee5f108890d8adbce6de235d516098c86b163737f155eab21835a2b2c198b1fe');
INSERT INTO events VALUES(8,'2026-11-30T09:58:04.034Z','trial decided','trial-1','{"before":"b9ad0d50a0f7f3bf1c555710ee9613185550aa212af4edb4ddb53ce128f35615","confirmation":0,"evidence":"7a7f953b1324831168e51fd4b0ef37fbfab58fb8546bd360b8656169c96f7a36","record":"50b468179343ebcbca1973459a26fba242c486e751e74a7be7350b96b5b41aea","result_tree":"","row":"efad676b7ef2f288f8e1274a6fa2c7ce2af29f27001e82594072c72ed6b10e5e","sample_count":4,"samples":"04244cce72a537448e6f088bbbde3b017fced2aefacbe89707481c1df23578ce","state":"done","verdict":"generalises"}','ee5f108890d8adbce6de235d516098c86b163737f155eab21835a2b2c198b1fe','0287d18cac155c7045394b873764ec271e58f4d36edbe74296d53b186208e7d0');
INSERT INTO events VALUES(9,'2026-11-30T09:58:04.035Z','candidate queued','trial-2','{"number":2,"record":"549b5f096316dbca0ecd0da84dd0b4e7e85cfc2f5b81e21475113fc62c429c0c","row":"e68717bdc33915e45f1e04752bdeb575b496610bc0af40bef15945ba50e00b80","state":"queued"}','0287d18cac155c7045394b873764ec271e58f4d36edbe74296d53b186208e7d0','fe9de0969690b2760ee66a2146daf5cb42a0411d226cde7240070ada0b3550e1');
INSERT INTO events VALUES(10,'2026-11-30T09:58:04.036Z','study ended','study-1','{"before":"5f6edcb70a135b3be0885588fe6adb0b0b393ccfb013776f23af9c0197f8a732","row":"5f6edcb70a135b3be0885588fe6adb0b0b393ccfb013776f23af9c0197f8a732","state":"done"}','fe9de0969690b2760ee66a2146daf5cb42a0411d226cde7240070ada0b3550e1','c9279344a963460f32e51cabad8d69506bfb386e3cec1bb869cf9aa184f7346d');
INSERT INTO events VALUES(11,'2026-11-30T13:19:43.516Z','change rejected','trial-1','{"decision":"rejected","record":"8bcf7c070c3a6d38206443b385c8d298c40ae94ffba0d6fca6b1da8b2d88dd27","review":1}','c9279344a963460f32e51cabad8d69506bfb386e3cec1bb869cf9aa184f7346d','8491f5045fac75868e3f25d24d0488d1c66ed111d8e15601241748d67cba0035');
CREATE TABLE gates (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    trial       TEXT NOT NULL REFERENCES trials (id),
    gate        TEXT NOT NULL CHECK (gate <> ''),
    result      TEXT NOT NULL CHECK (result IN ('pass', 'fail', 'stop')),
    reason      TEXT NOT NULL,
    log         TEXT NOT NULL,
    detail_json TEXT NOT NULL CHECK (detail_json = '' OR json_valid(detail_json)),
    started     TEXT NOT NULL,
    seconds     REAL,
    UNIQUE (trial, gate)
) STRICT;
INSERT INTO gates VALUES(1,'trial-1','build','pass','built','cc -O2','{"hash":"x"}','2026-01-02T03:04:06.500Z',1.5);
INSERT INTO gates VALUES(2,'trial-1','confirm','pass','built','cc -O2','{"hash":"x"}','2026-01-02T03:04:06.500Z',1.5);
CREATE TABLE projects (
    name        TEXT NOT NULL PRIMARY KEY,
    first_study TEXT NOT NULL
) STRICT;
INSERT INTO projects VALUES('zorder','2026-01-02T03:04:05.678Z');
CREATE TABLE questions (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    study  TEXT REFERENCES studies (id),
    trial  TEXT REFERENCES trials (id),
    rounds INTEGER NOT NULL CHECK (rounds >= 0),
    asked  TEXT NOT NULL,
    answer TEXT NOT NULL CHECK (answer IN ('', 'confirmed', 'not confirmed'))
) STRICT;
INSERT INTO questions VALUES(1,'study-1','trial-1',40,'2026-01-02T03:06:00.000Z','confirmed');
CREATE TABLE samples (
    id                     INTEGER PRIMARY KEY AUTOINCREMENT,
    study                  TEXT REFERENCES studies (id),
    trial                  TEXT REFERENCES trials (id),
    phase                  TEXT NOT NULL CHECK (phase <> ''),
    session                INTEGER NOT NULL CHECK (session >= 0),
    round                  INTEGER NOT NULL CHECK (round >= 0),
    attempt                INTEGER NOT NULL CHECK (attempt >= 0),
    workload               TEXT NOT NULL,
    arm                    TEXT NOT NULL CHECK (arm IN ('baseline', 'candidate')),
    slot                   INTEGER NOT NULL CHECK (slot IN (0, 1)),
    coin                   INTEGER NOT NULL CHECK (coin IN (0, 1)),
    executable_hash        TEXT NOT NULL,
    ending                 TEXT NOT NULL,
    output_hash            TEXT NOT NULL,
    metrics_json           TEXT NOT NULL CHECK (metrics_json = '' OR json_valid(metrics_json)),
    wall_ns                INTEGER NOT NULL,
    user_ns                INTEGER NOT NULL,
    system_ns              INTEGER NOT NULL,
    minor_faults           INTEGER NOT NULL,
    major_faults           INTEGER NOT NULL,
    voluntary_switches     INTEGER NOT NULL,
    involuntary_switches   INTEGER NOT NULL,
    peak_memory_bytes      INTEGER NOT NULL,
    memory_source          TEXT NOT NULL,
    queue_wait_ns          INTEGER NOT NULL,
    before_steal_ticks     INTEGER NOT NULL,
    before_total_ticks     INTEGER NOT NULL,
    before_swap_in_pages   INTEGER NOT NULL,
    before_swap_out_pages  INTEGER NOT NULL,
    before_psi_cpu_us      INTEGER NOT NULL,
    before_psi_memory_us   INTEGER NOT NULL,
    before_psi_io_us       INTEGER NOT NULL,
    before_mhz             REAL,
    before_celsius         REAL,
    after_steal_ticks      INTEGER NOT NULL,
    after_total_ticks      INTEGER NOT NULL,
    after_swap_in_pages    INTEGER NOT NULL,
    after_swap_out_pages   INTEGER NOT NULL,
    after_psi_cpu_us       INTEGER NOT NULL,
    after_psi_memory_us    INTEGER NOT NULL,
    after_psi_io_us        INTEGER NOT NULL,
    after_mhz              REAL,
    after_celsius          REAL,
    started                TEXT NOT NULL
) STRICT;
INSERT INTO samples VALUES(1,'study-1',NULL,'opening',2,1,1,'skewed','candidate',1,1,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','ok','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','{"cpu":0.25,"wall":0.5}',1234567890123,7,8,-1,1,2,3,4398046511104,'cgroup',9,1,2,3,4,5,6,7,3400.1249999999999999,51.5,11,12,13,14,15,16,-9223372036854775808,0.10000000000000000555,-2.25,'2026-01-02T03:04:07.000Z');
INSERT INTO samples VALUES(2,'study-1',NULL,'opening',2,2,1,'skewed','candidate',1,1,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','ok','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','{"cpu":0.25,"wall":0.5}',1234567890123,7,8,-1,1,2,3,4398046511104,'cgroup',9,1,2,3,4,5,6,7,3400.1249999999999999,51.5,11,12,13,14,15,16,-9223372036854775808,0.10000000000000000555,-2.25,'2026-01-02T03:04:07.000Z');
INSERT INTO samples VALUES(3,'study-1',NULL,'opening',2,3,1,'skewed','candidate',1,1,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','ok','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','{"cpu":0.25,"wall":0.5}',1234567890123,7,8,-1,1,2,3,4398046511104,'cgroup',9,1,2,3,4,5,6,7,3400.1249999999999999,51.5,11,12,13,14,15,16,-9223372036854775808,0.10000000000000000555,-2.25,'2026-01-02T03:04:07.000Z');
INSERT INTO samples VALUES(4,'study-1','trial-1','confirm',2,1,1,'skewed','candidate',1,1,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','ok','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','{"cpu":0.25,"wall":0.5}',1234567890123,7,8,-1,1,2,3,4398046511104,'cgroup',9,1,2,3,4,5,6,7,3400.1249999999999999,51.5,11,12,13,14,15,16,-9223372036854775808,0.10000000000000000555,-2.25,'2026-01-02T03:04:07.000Z');
INSERT INTO samples VALUES(5,'study-1','trial-1','confirm',2,2,1,'skewed','candidate',1,1,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','ok','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','{"cpu":0.25,"wall":0.5}',1234567890123,7,8,-1,1,2,3,4398046511104,'cgroup',9,1,2,3,4,5,6,7,3400.1249999999999999,51.5,11,12,13,14,15,16,-9223372036854775808,0.10000000000000000555,-2.25,'2026-01-02T03:04:07.000Z');
INSERT INTO samples VALUES(6,'study-1','trial-1','confirm',2,3,1,'skewed','candidate',1,1,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','ok','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','{"cpu":0.25,"wall":0.5}',1234567890123,7,8,-1,1,2,3,4398046511104,'cgroup',9,1,2,3,4,5,6,7,3400.1249999999999999,51.5,11,12,13,14,15,16,-9223372036854775808,0.10000000000000000555,-2.25,'2026-01-02T03:04:07.000Z');
INSERT INTO samples VALUES(7,'study-1','trial-1','confirm',2,4,1,'skewed','candidate',1,1,'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','ok','ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff','{"cpu":0.25,"wall":0.5}',1234567890123,7,8,-1,1,2,3,4398046511104,'cgroup',9,1,2,3,4,5,6,7,3400.1249999999999999,51.5,11,12,13,14,15,16,-9223372036854775808,0.10000000000000000555,-2.25,'2026-01-02T03:04:07.000Z');
CREATE TABLE studies (
    id              TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
    number          INTEGER NOT NULL UNIQUE CHECK (number >= 1),
    state           TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'interrupted')),
    project         TEXT NOT NULL REFERENCES projects (name),
    baseline_commit TEXT NOT NULL,
    baseline_tree   TEXT NOT NULL,
    seed            TEXT NOT NULL CHECK (seed <> ''),
    frozen_json     TEXT NOT NULL CHECK (frozen_json = '' OR json_valid(frozen_json)),
    options_json    TEXT NOT NULL CHECK (options_json = '' OR json_valid(options_json)),
    machine_json    TEXT NOT NULL CHECK (machine_json = '' OR json_valid(machine_json)),
    isolation_level INTEGER NOT NULL,
    opening_json    TEXT NOT NULL CHECK (opening_json = '' OR json_valid(opening_json)),
    started         TEXT NOT NULL,
    ended           TEXT NOT NULL
) STRICT;
INSERT INTO studies VALUES('study-1',1,'done','zorder','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','18364758544493064720','{"name":"zorder"}','{"trials":20}','{"cores":2}',3,'{"q50":0.01}','2026-01-02T03:04:05.678Z','');
CREATE TABLE trials (
    id                 TEXT NOT NULL PRIMARY KEY CHECK (id <> ''),
    number             INTEGER NOT NULL UNIQUE CHECK (number >= 1),
    study              TEXT REFERENCES studies (id),
    kind               TEXT NOT NULL CHECK (kind IN ('knobs', 'patch', 'both')),
    tuner              TEXT NOT NULL,
    state              TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'interrupted')),
    configuration_json TEXT NOT NULL CHECK (configuration_json = '' OR json_valid(configuration_json)),
    patch              TEXT NOT NULL,
    result_tree        TEXT NOT NULL,
    confirmation       INTEGER NOT NULL CHECK (confirmation >= 0),
    search_json        TEXT NOT NULL CHECK (search_json = '' OR json_valid(search_json)),
    created            TEXT NOT NULL,
    ended              TEXT NOT NULL
) STRICT;
INSERT INTO trials VALUES('trial-1',1,'study-1','both','random','done','{"block_rows":512}',replace('--- a/x\n+++ b/x\n','\n',char(10)),'',0,'','2026-01-02T03:04:06.000Z','2026-01-02T03:05:00.000Z');
INSERT INTO trials VALUES('trial-2',2,NULL,'both','random','queued','{"block_rows":512}',replace('--- a/x\n+++ b/x\n','\n',char(10)),'',0,'','2026-01-02T03:04:06.000Z','');
CREATE TABLE verdicts (
    trial           TEXT NOT NULL PRIMARY KEY REFERENCES trials (id),
    verdict         TEXT NOT NULL CHECK (verdict <> ''),
    qualifier       TEXT NOT NULL,
    proposal        INTEGER NOT NULL CHECK (proposal IN (0, 1)),
    reasons_json    TEXT NOT NULL CHECK (reasons_json = '' OR json_valid(reasons_json)),
    flags_json      TEXT NOT NULL CHECK (flags_json = '' OR json_valid(flags_json)),
    effects_json    TEXT NOT NULL CHECK (effects_json = '' OR json_valid(effects_json)),
    evidence_json   TEXT NOT NULL CHECK (json_valid(evidence_json)),
    evidence_digest TEXT NOT NULL CHECK (length(evidence_digest) = 64),
    time            TEXT NOT NULL
) STRICT;
INSERT INTO verdicts VALUES('trial-1','generalises','weakly',1,'["faster on all"]','[]','{"holdout":null,"tuning":{"estimate":-0.03}}','{"samples":[1,2,3],"trial":"trial-1"}','7a7f953b1324831168e51fd4b0ef37fbfab58fb8546bd360b8656169c96f7a36','2026-01-02T03:05:00.000Z');
CREATE TABLE reviews (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    trial          TEXT NOT NULL REFERENCES verdicts (trial),
    decision       TEXT NOT NULL CHECK (decision IN ('approved', 'rejected', 'rework')),
    reviewer_name  TEXT NOT NULL,
    reviewer_email TEXT NOT NULL,
    comment        TEXT NOT NULL,
    shared         INTEGER NOT NULL CHECK (shared IN (0, 1)),
    statement_json TEXT NOT NULL CHECK (json_valid(statement_json)),
    signature      TEXT NOT NULL,
    time           TEXT NOT NULL,
    CHECK (decision = 'approved' OR trim(comment) <> '')
) STRICT;
INSERT INTO reviews VALUES(1,'trial-1','rejected','A','a@b.c','not on this machine',0,'{"acknowledged":[],"binding":{"baseline-commit":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","configuration":{"block_rows":512},"evidence":"7a7f953b1324831168e51fd4b0ef37fbfab58fb8546bd360b8656169c96f7a36","result-tree":""},"comment":"not on this machine","decision":"rejected","head":"63b6127d782e4d0a4d0c19ff49efe85b773b1298","number":1,"overrides":[],"reviewer":{"email":"a@b.c","name":"A"},"schema":"holdfast/review/1","shared":false,"time":"2026-11-30T13:19:43.515Z","trial":"trial-1"}','','2026-11-30T13:19:43.515Z');
CREATE TABLE applications (
    id        INTEGER PRIMARY KEY AUTOINCREMENT,
    trial     TEXT NOT NULL REFERENCES verdicts (trial),
    action    TEXT NOT NULL CHECK (action IN ('applied', 'reverted')),
    review    INTEGER NOT NULL REFERENCES reviews (id),
    commit_id TEXT NOT NULL CHECK (commit_id <> ''),
    parent_id TEXT NOT NULL,
    branch    TEXT NOT NULL,
    evidence  TEXT NOT NULL,
    who       TEXT NOT NULL,
    time      TEXT NOT NULL
) STRICT;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('samples',7);
INSERT INTO sqlite_sequence VALUES('gates',2);
INSERT INTO sqlite_sequence VALUES('questions',1);
INSERT INTO sqlite_sequence VALUES('reviews',1);
CREATE INDEX studies_by_state ON studies (state);
CREATE INDEX studies_by_project ON studies (project);
CREATE INDEX trials_by_study ON trials (study);
CREATE INDEX trials_by_state ON trials (state);
CREATE INDEX samples_by_study ON samples (study, trial, phase);
CREATE INDEX samples_by_trial ON samples (trial);
CREATE INDEX questions_by_study ON questions (study);
CREATE INDEX questions_by_trial ON questions (trial);
CREATE INDEX reviews_by_trial ON reviews (trial);
CREATE INDEX applications_by_trial ON applications (trial);
CREATE INDEX applications_by_review ON applications (review);
CREATE TABLE imports (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    digest             TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
    whole_digest       TEXT NOT NULL CHECK (length(whole_digest) = 64),
    baseline_commit    TEXT NOT NULL,
    result_tree        TEXT NOT NULL,
    configuration_json TEXT NOT NULL CHECK (json_valid(configuration_json)),
    machine_json       TEXT NOT NULL CHECK (json_valid(machine_json)),
    isolation_level    INTEGER NOT NULL,
    verdict            TEXT NOT NULL CHECK (verdict <> ''),
    qualifier          TEXT NOT NULL,
    effects_json       TEXT NOT NULL CHECK (json_valid(effects_json)),
    complete           INTEGER NOT NULL CHECK (complete IN (0, 1)),
    recomputed         INTEGER NOT NULL CHECK (recomputed IN (0, 1)),
    document           TEXT NOT NULL,
    time               TEXT NOT NULL
) STRICT;
CREATE INDEX imports_by_candidate ON imports (baseline_commit, result_tree);
CREATE TABLE results_files (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    digest          TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),
    format          TEXT NOT NULL CHECK (format <> ''),
    name            TEXT NOT NULL,
    benchmarks_json TEXT NOT NULL CHECK (json_valid(benchmarks_json)),
    commit_id       TEXT NOT NULL,
    machine_json    TEXT NOT NULL CHECK (json_valid(machine_json)),
    time            TEXT NOT NULL
) STRICT;

-- Of questions with fresh seeds only.
CREATE TABLE question_seeds (
    question   INTEGER NOT NULL PRIMARY KEY REFERENCES questions (id),
    seeds_json TEXT NOT NULL CHECK (json_valid(seeds_json))
) STRICT;

-- Of samples during which the machine was throttled only.
CREATE TABLE throttled_samples (
    sample INTEGER NOT NULL PRIMARY KEY REFERENCES samples (id),
    events INTEGER NOT NULL CHECK (events > 0)
) STRICT;
PRAGMA application_id = 0x484f4c44;
PRAGMA user_version = 4;
COMMIT;
PRAGMA journal_mode = WAL;
