import { isBlank } from '../../../schema/helpers/is-blank.ts'
import { isAccepted, type MessageDocument } from '../../../schema/message.ts'
import { canForward } from '../../database/commands/forwarding.ts'
import type { MenuAction } from '../../ui/menus/menu-action.ts'
import { isEditable } from './is-editable.ts'

export interface MessageMenuHandlers {
  reply(message: MessageDocument): void
  copy(text: string): void
  forward(message: MessageDocument): void
  toggleSelected(message: MessageDocument): void
  edit(message: MessageDocument): void
  setStarred(message: MessageDocument, isStarred: boolean): void
  showInformation(message: MessageDocument): void
  remove(message: MessageDocument): void
  /** Scrolls to another message of the conversation and focuses it. */
  goToMessage(messageId: string): void
}

interface MessageActionOptions {
  message: MessageDocument
  isOwn: boolean
  on: MessageMenuHandlers
}

/**
 * The menu of one message. Only its author can delete or edit it; a deleted one can only be
 * selected.
 */
export function listMessageActions({ message, isOwn, on }: MessageActionOptions): MenuAction[] {
  const select: MenuAction = {
    label: 'Select',
    icon: 'select',
    onSelect: () => on.toggleSelected(message),
  }
  if (message.deletedAt !== undefined) return [select]
  const { isStarred, replyTo } = message
  const actions: MenuAction[] = [
    { label: 'Reply', icon: 'reply', onSelect: () => on.reply(message) },
    ...copyOf(message, on),
    ...forwardOf(message, on),
    {
      label: isStarred ? 'Unstar' : 'Star',
      icon: isStarred ? 'unstar' : 'star',
      onSelect: () => on.setStarred(message, !isStarred),
    },
    select,
  ]
  if (replyTo) {
    actions.push({
      label: 'Go to the quoted message',
      icon: 'quote',
      onSelect: () => on.goToMessage(replyTo),
    })
  }
  if (!isOwn) return actions
  if (isEditable(message)) {
    actions.push({ label: 'Edit', icon: 'edit', onSelect: () => on.edit(message) })
  }
  actions.push({ label: 'Info', icon: 'info', onSelect: () => on.showInformation(message) })
  actions.push({
    label: isAccepted(message) ? 'Delete' : 'Discard',
    icon: 'trash',
    isDanger: true,
    startsSection: true,
    onSelect: () => on.remove(message),
  })
  return actions
}

function forwardOf(message: MessageDocument, on: MessageMenuHandlers): MenuAction[] {
  if (!canForward(message)) return []
  return [{ label: 'Forward', icon: 'forward', onSelect: () => on.forward(message) }]
}

/** A file without words has nothing to copy. */
function copyOf({ type, content }: MessageDocument, on: MessageMenuHandlers): MenuAction[] {
  if (type !== 'text' && isBlank(content)) return []
  return [{ label: 'Copy', icon: 'copy', onSelect: () => on.copy(content) }]
}
