// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/project/danger_settings.hpp"

namespace holdfast {

namespace {

using enum SettingOwner;
constexpr auto durability = Knob::Danger::durability;
constexpr auto security = Knob::Danger::security;

constexpr std::string_view off = " off false no 0 ";
constexpr std::string_view on = " on true yes 1 ";
constexpr std::string_view lost_commits = "a crash loses transactions that were reported as committed";
constexpr std::string_view corrupted = "a crash of the machine can leave the database corrupt";
constexpr std::string_view lost_writes = "a crash loses writes that were acknowledged";
constexpr std::string_view in_memory = " /dev/shm ";
constexpr std::string_view lost_data = "the data are in memory only: a crash of the machine loses all of them";
constexpr std::string_view hidden_damage = "damage goes unnoticed";
constexpr std::string_view open_to_others = "others may get in or read along";

constexpr KnownSetting table[] = {
    // PostgreSQL
    {"fsync", any, durability, off, corrupted},
    {"synchronous_commit", any, durability, " off false no 0 local remote_write ", lost_commits},
    {"full_page_writes", any, durability, off, corrupted},
    {"wal_sync_method", any, durability, "", "whether a commit reaches the disk depends on it"},
    {"wal_level", any, durability, " minimal ", "no archive, replica or point-in-time recovery"},
    {"archive_mode", any, durability, off, "no point-in-time recovery"},
    {"synchronous_standby_names", any, durability, "", "what a commit waits for depends on it"},
    {"data_sync_retry", any, durability, on, "a failed write to disk can be taken for done"},
    {"zero_damaged_pages", any, durability, on, "damaged pages are emptied"},
    {"ignore_checksum_failure", any, durability, on, hidden_damage},
    {"data_checksums", any, durability, off, hidden_damage},
    {"no_data_checksums", any, durability, "", hidden_damage},
    {"session_replication_role", any, durability, " replica local ", "foreign keys and triggers are not checked"},
    {"ssl", postgresql, security, off, open_to_others},
    {"ssl_ciphers", any, security, "", open_to_others},
    {"ssl_min_protocol_version", any, security, "", open_to_others},
    {"password_encryption", any, security, " md5 ", "stored passwords are easier to guess"},
    {"listen_addresses", any, security, "", open_to_others},
    {"unix_socket_permissions", any, security, "", open_to_others},
    {"row_security", any, security, off, "policies on rows are not applied"},
    // Redis and Valkey
    {"appendfsync", any, durability, " no ", lost_writes},
    {"appendonly", any, durability, off, lost_writes},
    {"save", redis, durability, " \"\" '' ", lost_writes},
    {"no_appendfsync_on_rewrite", any, durability, on, lost_writes},
    {"rdbchecksum", any, durability, off, hidden_damage},
    {"stop_writes_on_bgsave_error", any, durability, off, "writes go on that cannot be saved"},
    {"aof_load_truncated", any, durability, "", "what is done about a damaged file depends on it"},
    {"min_replicas_to_write", any, durability, " 0 ", lost_writes},
    {"maxmemory_policy", any, durability,
     " allkeys-lru allkeys-lfu allkeys-random volatile-lru volatile-lfu volatile-random volatile-ttl ",
     "keys are dropped once memory is full"},
    {"protected_mode", any, security, off, open_to_others},
    {"requirepass", any, security, "", open_to_others},
    {"masterauth", any, security, "", open_to_others},
    {"aclfile", any, security, "", open_to_others},
    {"bind", redis, security, "", open_to_others},
    {"user", redis, security, "", open_to_others},
    {"tls_auth_clients", any, security, off, open_to_others},
    {"enable_debug_command", any, security, on, open_to_others},
    {"enable_module_command", any, security, on, open_to_others},
    {"enable_protected_configs", any, security, on, open_to_others},
    // SQLite
    {"synchronous", sqlite, durability, " off 0 normal 1 ", corrupted},
    {"journal_mode", sqlite, durability, " off memory ", corrupted},
    {"fullfsync", sqlite, durability, off, lost_commits},
    {"checkpoint_fullfsync", sqlite, durability, off, lost_commits},
    {"foreign_keys", sqlite, durability, off, "foreign keys are not checked"},
    {"ignore_check_constraints", sqlite, durability, on, "constraints are not checked"},
    {"cell_size_check", sqlite, durability, off, hidden_damage},
    {"read_uncommitted", sqlite, durability, on, "transactions see what others have not committed"},
    {"writable_schema", sqlite, durability, on, corrupted},
    {"secure_delete", sqlite, security, " off false no 0 fast ", "deleted content stays readable in the file"},
    {"trusted_schema", sqlite, security, on, "a database file may call functions"},
    {"sqlite_default_synchronous", any, durability, " 0 1 ", corrupted},
    {"sqlite_default_wal_synchronous", any, durability, " 0 1 ", lost_commits},
    {"sqlite_no_sync", any, durability, on, corrupted},
    {"sqlite_disable_dirsync", any, durability, on, corrupted},
    // MySQL and MariaDB
    {"innodb_flush_log_at_trx_commit", any, durability, " 0 2 ", lost_commits},
    {"sync_binlog", any, durability, " 0 ", lost_commits},
    {"innodb_doublewrite", any, durability, " off 0 false detect_only ", corrupted},
    {"innodb_flush_method", any, durability, " nosync littlesync o_direct_no_fsync ", corrupted},
    {"innodb_checksum_algorithm", any, durability, " none ", hidden_damage},
    {"log_bin", mysql, durability, off, "no replica or point-in-time recovery"},
    {"skip_log_bin", any, durability, "", "no replica or point-in-time recovery"},
    {"disable_log_bin", any, durability, "", "no replica or point-in-time recovery"},
    {"skip_grant_tables", any, security, on, "everybody may do everything"},
    {"require_secure_transport", any, security, off, open_to_others},
    {"skip_ssl", mysql, security, on, open_to_others},
    {"local_infile", any, security, on, "a client's files can be read"},
    {"secure_file_priv", any, security, "", open_to_others},
    // Others
    {"unsafe_no_fsync", any, durability, on, lost_writes},                                      // etcd
    {"commitlog_sync", any, durability, " periodic ", lost_writes},                             // Cassandra
    {"translog_durability", any, durability, " async ", lost_writes},                           // Elasticsearch
    {"journalcommitinterval", any, durability, "", lost_writes},                                // MongoDB
    {"journal", many, durability, off, lost_writes},                                            // MongoDB
    {"journal_enabled", many, durability, off, lost_writes},                                    // MongoDB
    {"nojournal", any, durability, on, lost_writes},                                            // MongoDB
    {"acks", many, durability, " 0 1 ", lost_writes},                                           // Kafka
    {"requiredacks", many, durability, " 0 sarama.noresponse kafka.requirenone ", lost_writes}, // Kafka
    {"nosync", many, durability, on, lost_writes},                                              // bbolt
    {"sslmode", many, security, " disable allow prefer ", open_to_others},
    {"dir", many, durability, in_memory, lost_data},
    {"datadir", many, durability, in_memory, lost_data},
    {"data_directory", many, durability, in_memory, lost_data},
    {"dbpath", many, durability, in_memory, lost_data},
    {"min_insync_replicas", any, durability, " 1 ", lost_writes}, // Kafka
    {"disablewal", any, durability, on, lost_writes},             // RocksDB
    {"disable_wal", any, durability, on, lost_writes},            // RocksDB
    {"eatmydata", any, durability, "", "nothing is written to disk on time"},
    {"libeatmydata_so", any, durability, "", "nothing is written to disk on time"},
};

} // namespace

std::span<const KnownSetting> known_settings() {
    return table;
}

} // namespace holdfast
