// Here, so that its browser ends after the last test file.
import "./chromium";
import { describeFolder } from "../support/folder";

describeFolder(__dirname);
