import { flushSync } from 'react-dom'
import type { NewWhatsAppContact } from '../../schema/api/whatsapp-contact.ts'
import type { WhatsAppTemplate } from '../../schema/api/whatsapp-template.ts'
import type { PublicUser } from '../../schema/user.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { insertText } from '../ui/fields/insert-text.ts'
import type { Channel } from './channel/channel.ts'
import { type ChannelSettings, listLabels } from './channel/channel-settings.ts'
import type { ChannelWish } from './channel/channel-wish.ts'
import type { Outgoing } from './channel/outgoing.ts'
import { ButtonsDialog } from './interactive/buttons-dialog.tsx'
import { ListDialog } from './interactive/list-dialog.tsx'
import { LabelsDialog } from './labels-dialog.tsx'
import { PhoneDialog } from './phone-dialog.tsx'
import { RepliesDialog } from './replies-dialog.tsx'
import { TemplatesDialog } from './templates/templates-dialog.tsx'
import { useTemplates } from './templates/use-templates.ts'

export interface ChannelDialogsProps {
  messenger: Messenger
  channel: Channel
  peerId: string
  peer: PublicUser | undefined
  wish: ChannelWish
  settings: ChannelSettings
  /** All reject with words for a person. */
  listTemplates(): Promise<readonly WhatsAppTemplate[]>
  addContact(contact: NewWhatsAppContact): Promise<PublicUser>
  onSettings(change: Partial<ChannelSettings>): Promise<unknown>
  onWish(wish: ChannelWish | undefined): void
  onOpenChat(peerId: string): void
}

/** The channel's dialog that is open over a chat. */
export function ChannelDialogs(props: ChannelDialogsProps) {
  const { messenger, channel, peerId, peer, wish, settings, onSettings, onWish } = props
  const close = () => onWish(undefined)

  /** @param digits of the entered number, if the other person has none */
  async function findRecipient(digits?: string): Promise<string | undefined> {
    const phone = digits ?? peer?.phone_number
    if (peer?.isWhatsAppContact && digits === undefined) return peerId
    if (!phone) return undefined
    return (await props.addContact({ phone_number: phone }))._id
  }

  async function send(outgoing: Outgoing, digits?: string) {
    const recipientId = await findRecipient(digits)
    // Asks for a missing number before sending: decision 61, section 5.
    if (recipientId === undefined) return onWish({ kind: 'phone', next: outgoing })
    await messenger.commands.sendMessage({ peerId: recipientId, keepsDraft: true, ...outgoing })
    close()
    if (recipientId !== peerId) props.onOpenChat(recipientId)
  }

  async function start(digits: string, next: Outgoing | undefined) {
    if (next) return await send(next, digits)
    const recipientId = await findRecipient(digits)
    close()
    if (recipientId) props.onOpenChat(recipientId)
  }

  switch (wish.kind) {
    case 'phone':
      return (
        <PhoneDialog
          channel={channel}
          onStart={(digits) => start(digits, wish.next)}
          onClose={close}
        />
      )
    case 'templates':
      return (
        <OpenTemplates
          {...props}
          message={wish.message}
          onSend={async (outgoing) => {
            await send(outgoing)
            const { message } = wish
            // If the template says something else, the failed message stays with its author.
            if (message && carries(outgoing, message.content)) {
              await messenger.commands.discardMessage(message._id)
            }
          }}
          onClose={close}
        />
      )
    case 'buttons':
      return <ButtonsDialog channel={channel} onSend={send} onClose={close} />
    case 'list':
      return <ListDialog channel={channel} onSend={send} onClose={close} />
    case 'replies':
      return (
        <RepliesDialog
          channel={channel}
          replies={settings.quickReplies}
          onChange={(quickReplies) => onSettings({ quickReplies })}
          onChoose={(text) => {
            // The dialog returns the focus a task after it closes: only then may the composer take
            // it.
            flushSync(close)
            const field = document.querySelector<HTMLTextAreaElement>('textarea[name="message"]')
            if (field) setTimeout(() => insertReply(field, text))
          }}
          onClose={close}
        />
      )
    case 'labels':
      return (
        <LabelsDialog
          channel={channel}
          labels={listLabels(settings, peerId)}
          known={Object.values(settings.labels).flat()}
          onChange={(own) => onSettings({ labels: { ...settings.labels, [peerId]: own } })}
          onClose={close}
        />
      )
  }
}

/** Does the outgoing message have the same text, on one line? */
function carries({ content }: Outgoing, words: string): boolean {
  return content.includes(words.trim().replace(/\s+/g, ' '))
}

interface OpenTemplatesProps extends ChannelDialogsProps {
  message: Extract<ChannelWish, { kind: 'templates' }>['message']
  onSend(outgoing: Outgoing): Promise<void>
  onClose(): void
}

function OpenTemplates(props: OpenTemplatesProps) {
  const { messenger, channel, message, listTemplates, onSend, onClose } = props
  const templates = useTemplates(messenger.userId, listTemplates)
  return (
    <TemplatesDialog
      channel={channel}
      templates={templates}
      words={message?.content}
      onSend={onSend}
      onClose={onClose}
    />
  )
}

/** Inserts a reply at the cursor, with a space before it where a word ends there. */
function insertReply(field: HTMLTextAreaElement, text: string): void {
  field.focus()
  const before = field.value.slice(0, field.selectionStart)
  const gap = before === '' || /\s$/.test(before) ? '' : ' '
  insertText(field, gap + text)
}
