// All new tables are in one list, because each must come after the tables that it references.

import { Table, type TableColumnOptions, type TableOptions } from "typeorm";
import {
  defaulting,
  ids,
  index,
  integers,
  longTexts,
  moments,
  nullable,
  primary,
  references,
  texts,
  typed,
  unique,
} from "./columns";

interface NewTable extends Omit<TableOptions, "columns"> {
  columns: TableColumnOptions[][];
}

type Collate = (columns: TableColumnOptions[]) => TableColumnOptions[];

/**
 * Describes the tables that version 2 adds.
 * @param bigint the database's name for an int64 type
 * @param no the database's literal for false
 * @param bytewise makes the database compare columns by their bytes
 * @returns the tables, each after the tables that it references
 */
export const newTables = (bigint: string, no: string, bytewise: Collate): Table[] =>
  describe(bigint, no, bytewise).map(
    ({ columns, ...table }) => new Table({ ...table, columns: columns.flat() }),
  );

const describe = (bigint: string, no: string, bytewise: Collate): NewTable[] => [
  {
    name: "line",
    columns: [
      primary(ids("id")),
      ids("agent_id"),
      texts({ name: 63, kind: 16, state: 16, when_uncertain: 16 }),
      integers("expire_after_seconds", "version"),
      defaulting("0", integers("secret_generation")),
      typed("boolean", "is_default"),
      defaulting("'{}'", longTexts("settings")),
      defaulting("'[]'", longTexts("opt_out_words")),
      moments("created_at"),
      nullable(texts({ address: 254, paused_reason: 200 }), integers("rate_per_minute")),
      nullable(longTexts("credentials", "opt_out_reply"), moments("previous_until")),
    ],
    foreignKeys: [references("agent")],
    indices: [
      unique("agent_id", "name"),
      { ...unique("agent_id"), name: "line_default", where: "is_default" },
    ],
  },
  {
    name: "line_traffic",
    columns: [
      primary(ids("line_id")),
      integers("rejections", "rate_per_minute"),
      typed("float", "next_at", "queued_until"),
      defaulting("0", typed("float", "urgent_until")),
      nullable(texts({ fault_code: 60 }), longTexts("fault_detail"), moments("fault_since")),
    ],
    foreignKeys: [references("line")],
  },
  {
    name: "contact",
    columns: [
      primary(ids("id")),
      ids("agent_id"),
      integers("version"),
      defaulting("'{}'", longTexts("attributes")),
      defaulting(no, typed("boolean", "has_timers")),
      moments("created_at", "updated_at"),
      nullable(
        texts({ ref: 255, name: 200, locale: 35, timezone: 64 }),
        moments("handed_off_at", "touched_at", "erased_at"),
      ),
    ],
    foreignKeys: [references("agent")],
    indices: [
      unique("agent_id", "ref"),
      { ...index("agent_id", "id"), name: "contact_listed", where: "erased_at IS NULL" },
      { ...index("agent_id", "id"), name: "contact_erased", where: "erased_at IS NOT NULL" },
      { ...index("agent_id", "touched_at", "id"), name: "contact_touched", where: "touched_at IS NOT NULL" },
    ],
  },
  {
    name: "contact_address",
    columns: [
      primary(ids("id")),
      ids("agent_id", "contact_id"),
      texts({ kind: 8, address: 254 }),
      nullable(moments("opted_out_at", "undeliverable_at", "loop_detected_at")),
    ],
    foreignKeys: [references("contact")],
    indices: [unique("agent_id", "kind", "address"), index("contact_id")],
  },
  {
    name: "consent",
    columns: [
      primary(ids("id")),
      ids("agent_id"),
      texts({ address_hash: 44, topic: 63, state: 3, source: 11 }),
      moments("changed_at"),
      nullable(ids("address_id"), texts({ evidence: 500 })),
    ],
    foreignKeys: [references("agent")],
    indices: [unique("address_hash", "topic"), index("address_id"), index("agent_id", "id")],
  },
  {
    name: "contact_tag",
    columns: [
      primary(ids("contact_id"), texts({ tag: 50 })),
      ids("agent_id"),
      moments("added_at"),
      texts({ added_by: 254 }),
    ],
    foreignKeys: [references("contact")],
    indices: [index("agent_id", "tag", "contact_id")],
  },
  {
    name: "contact_term",
    columns: [primary(ids("contact_id"), bytewise(texts({ term: 255 }))), ids("agent_id")],
    foreignKeys: [references("contact")],
    indices: [index("agent_id", "term", "contact_id")],
  },
  {
    name: "erasure",
    columns: [primary(ids("contact_id")), moments("started_at")],
    foreignKeys: [references("contact")],
  },
  {
    name: "conversation",
    columns: [
      primary(ids("id")),
      ids("agent_id", "contact_id", "address_id", "line_id"),
      texts({ state: 8, handler: 8 }),
      integers("version", "last_sequence"),
      moments("created_at", "updated_at"),
      nullable(moments("human_at", "waiting_since"), ids("assignee_id")),
    ],
    foreignKeys: [references("agent"), references("contact")],
    indices: [
      {
        ...index("assignee_id", "agent_id", "updated_at", "id"),
        name: "conversation_assigned",
        where: "assignee_id IS NOT NULL",
      },
      index("agent_id", "id"),
      index("agent_id", "state", "id"),
      index("contact_id", "id"),
      { ...unique("line_id", "address_id"), name: "conversation_open", where: "state = 'open'" },
      { ...index("agent_id", "state", "updated_at", "id"), name: "conversation_activity" },
      {
        ...index("agent_id", "waiting_since", "id"),
        name: "conversation_waiting",
        where: "waiting_since IS NOT NULL",
      },
      {
        ...index("agent_id", "human_at"),
        name: "conversation_human",
        where: "handler = 'human' AND state = 'open'",
      },
    ],
  },
  {
    name: "conversation_log_entry",
    columns: [
      primary(ids("id")),
      ids("agent_id", "conversation_id"),
      texts({ kind: 16, actor_kind: 16, actor_name: 254 }),
      moments("created_at"),
      nullable(ids("decision_id"), texts({ reason: 500, before: 254, after: 254 })),
    ],
    indices: [index("agent_id", "id"), index("conversation_id", "id")],
  },
  {
    name: "handoff_notice",
    columns: [
      primary(ids("id")),
      ids("agent_id", "conversation_id", "member_id"),
      integers("attempts"),
      moments("created_at"),
      nullable(moments("retry_at", "sent_at")),
    ],
    indices: [
      unique("conversation_id", "member_id"),
      index("agent_id", "id"),
      index("member_id"),
      index("created_at"),
    ],
  },
  {
    name: "handoff_subscription",
    columns: [primary(ids("member_id", "agent_id")), moments("created_at")],
    indices: [index("agent_id")],
  },
  {
    name: "lane",
    columns: [
      primary(ids("id")),
      ids("agent_id"),
      texts({ kind: 16 }),
      moments("wake_at"),
      defaulting(no, typed("boolean", "needs_sender")),
      nullable(ids("line_id", "position", "lease"), moments("lease_until")),
    ],
    indices: [index("agent_id", "id"), index("needs_sender", "wake_at")],
  },
  {
    name: "delivery_attempt",
    columns: [
      primary(ids("message_id"), integers("number")),
      moments("started_at"),
      nullable(ids("line_id"), texts({ outcome: 16, code: 64, detail: 500 }), moments("ended_at")),
    ],
    foreignKeys: [references("message")],
    indices: [index("started_at")],
  },
  {
    name: "early_receipt",
    columns: [
      primary(ids("id")),
      ids("agent_id", "line_id"),
      texts({ provider_id: 200, status: 16 }),
      moments("at", "created_at", "due_at"),
      nullable(texts({ error_text: 500 })),
    ],
    indices: [index("agent_id", "id")],
  },
  {
    name: "configuration_version",
    columns: [
      primary(ids("agent_id"), integers("version")),
      longTexts("document"),
      texts({ digest: 64, published_by: 254 }),
      moments("published_at"),
      nullable(texts({ note: 500 }), integers("restored_from")),
    ],
    foreignKeys: [references("agent")],
  },
  {
    name: "configuration_draft",
    columns: [
      primary(ids("agent_id")),
      longTexts("document"),
      integers("revision", "based_on"),
      texts({ updated_by: 254 }),
      moments("updated_at"),
    ],
    foreignKeys: [references("agent")],
  },
  {
    name: "decision",
    columns: [
      primary(ids("id")),
      ids("agent_id"),
      texts({ decider: 8, state: 8, situation_type: 100 }),
      integers("configuration_version"),
      defaulting("0", integers("failed_effects")),
      longTexts("situation", "effects"),
      moments("created_at"),
      nullable(
        ids("contact_id", "conversation_id", "timer_id"),
        texts({ outcome: 8, rule_id: 63, situation_key: 200 }),
      ),
      nullable(longTexts("snapshot", "explanation", "basis"), moments("decided_at")),
    ],
    foreignKeys: [references("agent")],
    indices: [
      index("agent_id", "id", "situation_type", "rule_id", "outcome", "configuration_version"),
      index("conversation_id", "id"),
      index("contact_id", "id"),
      index("created_at"),
      {
        ...index("agent_id", "situation_key", "id"),
        name: "decision_keys",
        where: "situation_key IS NOT NULL",
      },
      { ...index("conversation_id"), name: "decision_deciding", where: "state = 'deciding'" },
      {
        ...index("agent_id", "id"),
        name: "decision_failures",
        where: "failed_effects > 0 OR state = 'failed'",
      },
    ],
  },
  {
    name: "timer",
    columns: [
      primary(ids("id")),
      ids("agent_id", "subject_id", "decision_id"),
      typed("boolean", "is_named"),
      texts({ key: 200, situation_type: 100 }),
      longTexts("data", "unless"),
      moments("due_at", "created_at"),
      nullable(ids("contact_id", "conversation_id")),
    ],
    foreignKeys: [references("agent")],
    indices: [unique("subject_id", "key"), index("agent_id", "id")],
  },
  {
    name: "rule_match",
    columns: [primary(ids("subject_id"), texts({ rule_id: 63 })), moments("matched_at")],
    indices: [index("matched_at")],
  },
  {
    name: "model_usage",
    columns: [primary(ids("agent_id"), moments("day")), integers("asks")],
    indices: [index("day")],
  },
  {
    name: "event",
    columns: [
      primary(ids("agent_id"), typed(bigint, "position")),
      ids("id"),
      texts({ type: 32, subject: 50 }),
      longTexts("data"),
      moments("created_at"),
    ],
    indices: [
      { ...index("subject", "position"), name: "event_of_contact", where: "type LIKE 'contact.%'" },
      index("created_at"),
    ],
  },
  {
    name: "agent_stream",
    columns: [primary(ids("agent_id")), typed(bigint, "last")],
  },
  {
    name: "webhook_endpoint",
    columns: [
      primary(ids("id")),
      ids("organization_id"),
      longTexts("url"),
      texts({ state: 16 }),
      integers("secret_generation"),
      moments("created_at", "updated_at"),
      nullable(ids("agent_id"), texts({ description: 200, disabled_reason: 16 }), longTexts("types")),
      nullable(moments("failing_since", "previous_until", "deleted_at")),
    ],
    indices: [index("organization_id")],
  },
  {
    name: "webhook_cursor",
    columns: [primary(ids("endpoint_id", "agent_id")), typed(bigint, "position")],
  },
  {
    name: "webhook_delivery",
    columns: [
      primary(ids("id")),
      ids("endpoint_id", "agent_id", "event_id", "lane_id"),
      typed(bigint, "position"),
      texts({ type: 32, subject: 50, state: 16 }),
      integers("attempts"),
      moments("created_at"),
      nullable(integers("last_status", "last_duration_ms"), longTexts("last_error", "attempt_log")),
      nullable(moments("not_before", "delivered_at")),
    ],
    indices: [
      unique("endpoint_id", "event_id"),
      index("endpoint_id", "id"),
      index("endpoint_id", "state", "id"),
      index("lane_id", "state", "position"),
      index("created_at"),
    ],
  },
  {
    name: "invitation",
    columns: [
      primary(ids("id")),
      ids("organization_id"),
      texts({ email: 254, invited_by: 254 }),
      longTexts("permissions"),
      texts({ token_hash: 64 }).map((column) => ({ ...column, isUnique: true })),
      moments("created_at", "expires_at"),
      nullable(ids("invited_by_id")),
    ],
    foreignKeys: [references("organization")],
    indices: [unique("organization_id", "email"), index("invited_by_id"), index("expires_at")],
  },
  {
    name: "member_identity",
    columns: [primary(ids("member_id")), texts({ issuer: 500, subject: 255 }), moments("bound_at")],
    foreignKeys: [references("member")],
    indices: [unique("issuer", "subject")],
  },
  {
    name: "single_use",
    columns: [primary(texts({ hash: 64 })), nullable(ids("session_id", "member_id")), moments("expires_at")],
    indices: [index("expires_at")],
  },
  {
    name: "passkey",
    columns: [
      primary(ids("id")),
      ids("member_id"),
      texts({ credential_id: 1364 }).map((column) => ({ ...column, isUnique: true })),
      longTexts("public_key", "transports"),
      typed(bigint, "counter"),
      texts({ name: 100 }),
      moments("created_at"),
      nullable(moments("last_used_at")),
    ],
    foreignKeys: [references("member")],
    indices: [index("member_id")],
  },
  {
    name: "oauth_record",
    columns: [
      primary(texts({ hash: 64 })),
      texts({ kind: 24 }),
      longTexts("payload"),
      moments("expires_at"),
      nullable(ids("key_id"), longTexts("scopes"), moments("consumed_at")),
    ],
    indices: [index("key_id"), index("expires_at")],
  },
  {
    name: "instance_key_check",
    columns: [primary(integers("id")), texts({ value: 44 }), moments("created_at")],
  },
  {
    name: "deprecated_use",
    columns: [
      primary(ids("key_id"), texts({ name: 200 }), moments("day")),
      integers("uses"),
      moments("last_used_at"),
    ],
    indices: [index("day")],
  },
  {
    name: "operation_use",
    columns: [
      primary(ids("key_id"), moments("day"), texts({ operation: 200, ip: 45, outcome: 50 })),
      integers("uses"),
      moments("last_used_at"),
    ],
    indices: [index("day")],
  },
  {
    name: "lease",
    columns: [primary(texts({ name: 40 })), ids("holder"), moments("held_until")],
  },
  {
    name: "known_database",
    columns: [primary(integers("id")), nullable(longTexts("identity"), moments("restored_at"))],
  },
];
