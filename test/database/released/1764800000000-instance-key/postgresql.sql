CREATE TABLE "instance_key_check" ("id" integer NOT NULL, "value" varchar(44) NOT NULL, "created_at" varchar(24) NOT NULL, CONSTRAINT "PK_fc711017faba915ecb3900892f6" PRIMARY KEY ("id"));
