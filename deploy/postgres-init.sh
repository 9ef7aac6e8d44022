#!/bin/sh
# Runs on the first start with an empty folder: creates the gateway's database and its role, which is not a superuser.
set -eu
# psql reads the password from its environment, because any user on the machine can read its arguments.
psql --no-psqlrc --set=ON_ERROR_STOP=1 --username=postgres <<'SQL'
\getenv password DATABASE_PASSWORD
CREATE ROLE gateway LOGIN PASSWORD :'password';
CREATE DATABASE gateway OWNER gateway;
REVOKE ALL ON DATABASE gateway FROM PUBLIC;
SQL
