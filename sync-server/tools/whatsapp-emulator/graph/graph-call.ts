import type { Emulation } from '../state/emulation.ts'
import type { BusinessNumber, StoredMedia } from '../state/emulator-state.ts'
import type { StoredTemplate } from '../state/seed-templates.ts'

/** The node of a path. */
export type GraphNode =
  | { kind: 'number'; number: BusinessNumber }
  | { kind: 'account'; id: string }
  | { kind: 'app'; id: string }
  | { kind: 'media'; media: StoredMedia }
  | { kind: 'template'; template: StoredTemplate }

export interface GraphCall<Node extends GraphNode = GraphNode> {
  emulation: Emulation
  node: Node
  query: URLSearchParams
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

/** An answer; `silent` and `reset` end a connection without one. */
export type GraphReply =
  | { kind: 'json'; status?: number; body: unknown }
  | { kind: 'bytes'; status: number; type: string; bytes: Uint8Array | string }
  | { kind: 'silent' }
  | { kind: 'reset' }

export const succeed = (): GraphReply => ({ kind: 'json', body: { success: true } })
