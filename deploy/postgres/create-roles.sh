#!/usr/bin/env bash
# Creates the database of Muster and its two roles (docs/operations/database-roles.md): muster_owner, which owns the
# tables and which only `muster migrate` uses, and muster_service, which the service uses and which owns nothing. The
# PostgreSQL image runs this script once, when it creates its cluster. To run it by hand, set the passwords, the
# variables of psql (PGHOST, …), and POSTGRES_USER to a superuser.
set -euo pipefail
: "${MUSTER_OWNER_PASSWORD:?}" "${MUSTER_SERVICE_PASSWORD:?}"

# \getenv keeps the passwords out of psql's arguments, which every user of the machine can read.
psql --no-psqlrc --quiet -v ON_ERROR_STOP=1 --username "${POSTGRES_USER:-postgres}" --dbname postgres <<'SQL'
\getenv owner_password MUSTER_OWNER_PASSWORD
\getenv service_password MUSTER_SERVICE_PASSWORD
CREATE ROLE muster_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE muster_service LOGIN PASSWORD :'service_password';
CREATE DATABASE muster OWNER muster_owner;
REVOKE ALL ON DATABASE muster FROM PUBLIC;
GRANT CONNECT ON DATABASE muster TO muster_service;
SQL
