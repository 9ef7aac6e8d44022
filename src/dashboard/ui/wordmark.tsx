import { Name } from "./name";
import styles from "./wordmark.module.css";

/** The logo, the product and the organization. */
export const Wordmark = ({ organization }: { organization?: string }) => (
  <div className={styles.wordmark}>
    <svg aria-hidden="true" width="32" height="32" viewBox="0 0 32 32">
      <rect width="32" height="32" rx="8" fill="#4263eb" />
      <g fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" strokeLinejoin="round">
        <circle cx="12" cy="16" r="4.6" />
        <path d="M16.6 16H25M21.5 16v4" />
      </g>
    </svg>
    <div>
      <p className={styles.product}>Gateway</p>
      {organization !== undefined && (
        <p className={styles.organization}>
          <Name>{organization}</Name>
        </p>
      )}
    </div>
  </div>
);
