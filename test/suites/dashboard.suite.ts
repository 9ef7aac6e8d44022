// Imported here, so that its browser ends after the last test file.
import "../dashboard/chromium";
import { describeHalf } from "../support/folders";

describeHalf("dashboard", 0);
