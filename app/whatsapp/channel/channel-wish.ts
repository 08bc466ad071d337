import type { MessageDocument } from '../../../schema/message.ts'
import type { Outgoing } from './outgoing.ts'

/** What a person has asked for of the channel, in a chat; one thing at a time. */
export type ChannelWish =
  /** `message`: one that was refused because the 24 hours were over; its words are offered in a template. */
  | { kind: 'templates'; message?: MessageDocument }
  /** `next`: what is sent as soon as there is a number. */
  | { kind: 'phone'; next?: Outgoing }
  | { kind: 'buttons' }
  | { kind: 'list' }
  | { kind: 'replies' }
  | { kind: 'labels' }
