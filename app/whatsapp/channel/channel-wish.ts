import type { MessageDocument } from '../../../schema/message.ts'
import type { Outgoing } from './outgoing.ts'

/** The channel dialog that a person has opened in a chat; one at a time. */
export type ChannelWish =
  /** `message`: one refused after the 24 hours; templates offer its text. */
  | { kind: 'templates'; message?: MessageDocument }
  /** `next`: sent as soon as there is a number. */
  | { kind: 'phone'; next?: Outgoing }
  | { kind: 'buttons' }
  | { kind: 'list' }
  | { kind: 'replies' }
  | { kind: 'labels' }
