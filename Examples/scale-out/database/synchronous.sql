-- From now on, confirm a commit when a standby has it too. Run it on the primary, as the user postgres.
ALTER SYSTEM SET synchronous_standby_names = '*';
SELECT pg_reload_conf();
