import type { MessageDocument } from '../../../schema/message.ts'
import type { MenuPoint } from '../../ui/menus/menu-action.ts'

/** What lies over the conversation; one thing at a time. */
export type OpenDialog =
  | { kind: 'menu'; message: MessageDocument; point: MenuPoint }
  /** The reactions to choose from; `isExpanded`: all of them. */
  | { kind: 'react'; message: MessageDocument; point: MenuPoint; isExpanded: boolean }
  | { kind: 'forward'; messages: readonly MessageDocument[] }
  | { kind: 'information'; message: MessageDocument }
  /** `day`: the one to begin with, its start in epoch ms; the oldest that is loaded where none is given. */
  | { kind: 'date'; day?: number }
  | { kind: 'delete'; messages: readonly MessageDocument[] }
  | { kind: 'delete-failed' }
