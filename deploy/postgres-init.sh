#!/bin/sh
# At the first start of an empty folder: the gateway's own role, which is no superuser, and its database.
set -eu
# psql reads the password from its environment: every user of the machine may read its arguments.
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username=postgres <<'SQL'
\getenv password DATABASE_PASSWORD
CREATE ROLE gateway LOGIN PASSWORD :'password';
CREATE DATABASE gateway OWNER gateway;
REVOKE ALL ON DATABASE gateway FROM PUBLIC;
SQL
