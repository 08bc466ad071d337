import type { MessageDocument } from '../../schema/message.ts'
import type { MenuPoint } from '../ui/menu-action.ts'

/** What lies over the conversation; one thing at a time. */
export type OpenDialog =
  | { kind: 'menu'; message: MessageDocument; point: MenuPoint }
  | { kind: 'forward'; messages: readonly MessageDocument[] }
  | { kind: 'information'; message: MessageDocument }
  | { kind: 'date' }
  | { kind: 'delete-failed' }
