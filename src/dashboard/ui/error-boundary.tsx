import { Component, type ReactNode } from "react";
import { FailedPage } from "./failure";

export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    return <FailedPage error={error} retry={() => window.location.reload()} />;
  }
}
