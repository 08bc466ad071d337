import type { MessageDocument } from '../../../schema/message.ts'
import type { MenuPoint } from '../../ui/menus/menu-action.ts'

/** The dialog or menu over the conversation; one at a time. */
export type OpenDialog =
  | { kind: 'menu'; message: MessageDocument; point: MenuPoint }
  /** The reactions to choose from; `isExpanded` shows all emoji. */
  | { kind: 'react'; message: MessageDocument; point: MenuPoint; isExpanded: boolean }
  | { kind: 'forward'; messages: readonly MessageDocument[] }
  | { kind: 'information'; message: MessageDocument }
  /**
   * `day`: the day shown first, its start in epoch ms; by default that of the oldest loaded
   * message.
   */
  | { kind: 'date'; day?: number }
  | { kind: 'delete'; messages: readonly MessageDocument[] }
  | { kind: 'delete-failed'; isSelected: boolean }
