-- Make the users and the database. Run it once, on the primary, as the user postgres.
\set ON_ERROR_STOP on
\set password `cat /etc/postgresql/secrets/db-password`
\set owner_password `cat /etc/postgresql/secrets/owner-password`
\set replication_password `cat /etc/postgresql/secrets/replication-password`
-- No standby is connected yet that could confirm a commit.
SET synchronous_commit = local;
CREATE ROLE corewire_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE corewire LOGIN PASSWORD :'password';
CREATE ROLE corewire_replication LOGIN REPLICATION PASSWORD :'replication_password';
CREATE DATABASE corewire OWNER corewire_owner;
REVOKE ALL ON DATABASE corewire FROM PUBLIC;
GRANT CONNECT ON DATABASE corewire TO corewire;
