import type { MessageDocument } from '../../../schema/message.ts'

/** The composer's mode. */
export type WriteMode =
  | { kind: 'new' }
  | { kind: 'reply'; message: MessageDocument }
  | { kind: 'edit'; message: MessageDocument; text: string }

export const newMode: WriteMode = { kind: 'new' }
