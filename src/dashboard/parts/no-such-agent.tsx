import { Link } from "wouter";
import { Empty } from "../ui/page";

/** Shown if the agent in the URL was deleted or never existed. */
export const NoSuchAgent = () => (
  <Empty title="This agent doesn’t exist">
    <p>
      It may have been deleted. <Link href="/agents">See all agents</Link>
    </p>
  </Empty>
);
