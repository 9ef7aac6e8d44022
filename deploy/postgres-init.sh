#!/bin/sh
# At the first start of an empty folder: the gateway's own role, which is no superuser, and its database.
set -eu
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username=postgres --set=password="$DATABASE_PASSWORD" <<'SQL'
CREATE ROLE gateway LOGIN PASSWORD :'password';
CREATE DATABASE gateway OWNER gateway;
REVOKE ALL ON DATABASE gateway FROM PUBLIC;
SQL
