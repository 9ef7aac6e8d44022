ALTER TABLE "lane" ADD COLUMN "line_id" varchar(36);
