import type { ReactElement } from 'react'
import { lineOf } from '../../../schema/api/groups.ts'
import { lockOf } from '../../../schema/encryption/sealed-part.ts'
import { isBlank } from '../../../schema/helpers/text.ts'
import { isAccepted, isSticker, type MessageDocument } from '../../../schema/message.ts'
import { canForward } from '../../database/commands/change-message.ts'
import type { MenuAction, MenuPoint } from '../../ui/menus/menu-action.ts'

export interface MessageMenuHandlers {
  reply(message: MessageDocument): void
  /** Answers its author alone, outside the group. */
  replyInPrivate(message: MessageDocument): void
  copy(text: string): void
  forward(message: MessageDocument): void
  toggleSelected(message: MessageDocument): void
  edit(message: MessageDocument): void
  setStarred(message: MessageDocument, isStarred: boolean): void
  showInformation(message: MessageDocument): void
  /** Asks whether for everyone, unless it was never sent. */
  remove(message: MessageDocument): void
  /** Deletes it for this person alone. */
  hide(message: MessageDocument): void
  /** Scrolls to another message of the conversation and focuses it. */
  goToMessage(messageId: string): void
}

interface MessageActionOptions {
  message: MessageDocument
  isOwn: boolean
  /** Can this person change nothing for others here any more? */
  isOver?: boolean
  isInGroup?: boolean
  on: MessageMenuHandlers
}

/**
 * The menu of one message. Only its author can edit it, or delete it for both; everybody can delete
 * it for themselves, and a deleted one only that.
 */
export function listMessageActions(options: MessageActionOptions): MenuAction[] {
  const { message, isOwn, isOver = false, isInGroup = false, on } = options
  const select: MenuAction = {
    label: 'Select',
    icon: 'select',
    onSelect: () => on.toggleSelected(message),
  }
  const hide: MenuAction = {
    label: 'Delete for me',
    icon: 'trash',
    isDanger: true,
    startsSection: true,
    onSelect: () => on.hide(message),
  }
  if (message.deletedAt !== undefined) return [select, hide]
  const { isStarred, replyTo } = message
  const actions: MenuAction[] = [
    { label: 'Reply', icon: 'reply', onSelect: () => on.reply(message) },
    ...(isInGroup && !isOwn ? replyInPrivateOf(message, on) : []),
    ...copyOf(message, on),
    ...forwardOf(message, on),
    {
      label: nameStar(message),
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
  if (!isOwn) return [...actions, hide]
  if (isEditable(message) && !isOver) {
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

/** A starred sticker is in the tray of one's own. */
function nameStar(message: MessageDocument): string {
  if (isSticker(message)) return message.isStarred ? 'Remove from stickers' : 'Add to stickers'
  return message.isStarred ? 'Unstar' : 'Star'
}

function forwardOf(message: MessageDocument, on: MessageMenuHandlers): MenuAction[] {
  if (!canForward(message)) return []
  return [{ label: 'Forward', icon: 'forward', onSelect: () => on.forward(message) }]
}

/** What is not open here has no words to quote. */
function replyInPrivateOf(message: MessageDocument, on: MessageMenuHandlers): MenuAction[] {
  if (lockOf(message)) return []
  const onSelect = () => on.replyInPrivate(message)
  return [{ label: 'Reply in private', icon: 'person', onSelect }]
}

/** A file without words has nothing to copy. */
function copyOf(message: MessageDocument, on: MessageMenuHandlers): MenuAction[] {
  const { type, content } = message
  if (lockOf(message) || (type !== 'text' && isBlank(content))) return []
  return [{ label: 'Copy', icon: 'copy', onSelect: () => on.copy(content) }]
}

/** Would both people see a reaction to it? A reaction on the business channel reaches nobody. */
export function canReact(message: MessageDocument): boolean {
  const { deletedAt, isWhatsApp } = message
  return isAccepted(message) && deletedAt === undefined && !isWhatsApp && !lineOf(message)
}

/** Can the author still edit the text? Not what is sealed and not open; a message that has gone to WhatsApp cannot change there. */
export function isEditable(message: MessageDocument): boolean {
  const { type, deletedAt, isWhatsApp } = message
  if (lockOf(message) || lineOf(message)) return false
  return type === 'text' && deletedAt === undefined && !(isWhatsApp && isAccepted(message))
}

interface ReactionBarDrawing {
  point: MenuPoint
  /** The current own reaction, if any. */
  chosen: string | undefined
  isExpanded: boolean
  /** Called with the characters of an emoji. */
  onChoose(emoji: string): void
  onClose(): void
}

/**
 * Draws the reaction choice. The shell provides it, so that the conversation does not depend on
 * app/emoji.
 */
export type DrawReactionBar = (drawing: ReactionBarDrawing) => ReactElement
