CREATE TABLE "instance_key_check" ("id" integer PRIMARY KEY NOT NULL, "value" varchar(44) NOT NULL, "created_at" varchar(24) NOT NULL);
