// The dashboard also imports this module, so it must not import anything.

// The prefixes of tokens and secrets, without the "_".
/** An agent key. */
export const API_KEY = "agk";
export const ORGANIZATION_KEY = "ago";
export const SESSION = "ags";
export const INVITATION = "agi";
export const ACCESS_TOKEN = "agt";
export const REFRESH_TOKEN = "agr";
export const SIGNING_SECRET = "whsec";

export const PUBLIC_ID_DIGITS = 12;
/** 131 random bits. */
export const SECRET_DIGITS = 22;
