import { useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import * as z from 'zod/mini'
import { type WhatsAppTemplate, whatsAppTemplate } from '../../schema/api/send-whatsapp.ts'
import type { NewWhatsAppContact } from '../../schema/api/whatsapp-link.ts'
import { kindOf } from '../../schema/conversation.ts'
import { wordsOf } from '../../schema/helpers/text.ts'
import { limits } from '../../schema/limits.ts'
import type { PublicUser } from '../../schema/user.ts'
import { whatsAppLimits } from '../../schema/whatsapp-limits.ts'
import type { Messenger } from '../sync/messenger-types.ts'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { DialogField, DialogForm, DialogHint } from '../ui/forms/dialog-form.tsx'
import { insertText } from '../ui/forms/insert-text.ts'
import { useSubmission } from '../ui/forms/use-submission.ts'
import { buildButtons } from './build-interactive.ts'
import {
  type Channel,
  type ChannelSettings,
  type ChannelWish,
  listLabels,
  type Outgoing,
} from './channel.ts'
import { ChannelDialog } from './channel-dialog.tsx'
import { ListDialog } from './list-dialog.tsx'
import { FrameField, SendForm } from './send-form.tsx'
import styles from './styles/whatsapp.module.css'
import { TemplatesDialog } from './templates-dialog.tsx'

const replyMax = 1_000

const labelMax = 30

const usual = ['New customer', 'New order', 'Pending payment', 'Paid', 'Order complete'] as const

const { buttonsMax, buttonTitleMax, interactiveBodyMax } = whatsAppLimits

const places = Array.from({ length: buttonsMax }, (_, index) => index)

const { min, max } = limits.phoneDigits

const kept = { language: 'en', category: 'UTILITY', status: 'APPROVED' } as const

/** The templates shown before the server's first answer. Source: decision 61, section 3. */
export const builtInTemplates: readonly WhatsAppTemplate[] = [
  {
    ...kept,
    id: 'hello_world',
    name: 'hello_world',
    components: [{ type: 'BODY', text: 'Hello World!' }],
  },
  {
    ...kept,
    id: 'order_confirmation',
    name: 'order_confirmation',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order Confirmation' },
      {
        type: 'BODY',
        text: 'Thank you! Your order {{1}} is confirmed, the total is {{2}} with tax.',
      },
      { type: 'FOOTER', text: 'Thank you for your business!' },
    ],
  },
]

const list = z.array(whatsAppTemplate)

const keyOf = (userId: string) => `petrel-templates-${userId}`

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
    if (kindOf(peer) === 'business' && digits === undefined) return peerId
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

/** The device's templates immediately, and the server's when they arrive (P10). */
function useTemplates(
  userId: string,
  listTemplates: () => Promise<readonly WhatsAppTemplate[]>,
): readonly WhatsAppTemplate[] {
  const [templates, setTemplates] = useState(() => readKeptTemplates(localStorage, userId))
  useEffect(() => {
    const watch = { isOver: false }
    const take = (listed: readonly WhatsAppTemplate[]) => {
      keepTemplates(localStorage, userId, listed)
      if (!watch.isOver) setTemplates(listed)
    }
    // Without an answer the stored ones stay in use: a refusal will show an outdated one.
    listTemplates().then(take, () => {})
    return () => {
      watch.isOver = true
    }
  }, [userId, listTemplates])
  return templates
}

/** The account's templates stored on this device; until there are any, the built-in two. */
export function readKeptTemplates(
  texts: Pick<Storage, 'getItem'>,
  userId: string,
): readonly WhatsAppTemplate[] {
  try {
    const kept = list.safeParse(JSON.parse(texts.getItem(keyOf(userId)) ?? 'null'))
    return kept.success ? kept.data : builtInTemplates
  } catch {
    return builtInTemplates
  }
}

/** Stores them for offline use; without room the app requests them again. */
export function keepTemplates(
  texts: Pick<Storage, 'setItem'>,
  userId: string,
  templates: readonly WhatsAppTemplate[],
): void {
  try {
    texts.setItem(keyOf(userId), JSON.stringify(templates))
  } catch {
    // A full disk loses nothing: the list is in memory until the page closes.
  }
}

interface PhoneDialogProps {
  channel: Channel
  /** Called with the digits. Rejects with words for a person. */
  onStart(digits: string): Promise<void>
  onClose(): void
}

/** Asks for a phone number to write to on WhatsApp. Source: decision 61, section 2. */
function PhoneDialog({ channel, onStart, onClose }: PhoneDialogProps) {
  const [phone, setPhone] = useState('')
  const { problem, setProblem, isBusy, run } = useSubmission()

  function submit() {
    const checked = checkPhone(phone)
    if ('problem' in checked) return setProblem(checked.problem)
    void run(() => onStart(checked.digits))
  }

  return (
    <ChannelDialog title="Enter WhatsApp Phone Number" channel={channel} onClose={onClose}>
      <DialogForm
        action={isBusy ? 'Starting...' : 'Start Chat'}
        problem={problem}
        isBusy={isBusy}
        onSubmit={submit}
        onLeave={onClose}
      >
        <DialogField label="Phone Number (with country code)">
          <input
            type="tel"
            name="phone"
            autoComplete="off"
            placeholder="+1234567890"
            aria-describedby="whatsapp-phone-hint"
            value={phone}
            onChange={(event) => {
              setPhone(event.target.value)
              setProblem(undefined)
            }}
          />
        </DialogField>
        <DialogHint id="whatsapp-phone-hint">
          Include country code (e.g., +1 for US, +91 for India)
        </DialogHint>
      </DialogForm>
    </ChannelDialog>
  )
}

/** The digits of a valid number, or the problem. Source: decision 61, section 5. */
export function checkPhone(text: string): { digits: string } | { problem: string } {
  if (text.trim() === '') return { problem: 'Phone number is required' }
  const digits = text.replace(/\D/g, '')
  if (digits.length >= min && digits.length <= max) return { digits }
  return {
    problem: 'Invalid phone number format. Please use international format (e.g., +1234567890)',
  }
}

interface ButtonsDialogProps {
  channel: Channel
  onSend(outgoing: Outgoing): Promise<void>
  onClose(): void
}

/** Composes a question with buttons for the answers. */
function ButtonsDialog({ channel, onSend, onClose }: ButtonsDialogProps) {
  const [text, setText] = useState('')
  const [frame, setFrame] = useState({ header: '', footer: '' })
  const [titles, setTitles] = useState<readonly string[]>(places.map(() => ''))
  return (
    <ChannelDialog title="Message with buttons" channel={channel} onClose={onClose}>
      <SendForm
        build={() => buildButtons({ ...frame, text, titles })}
        onSend={onSend}
        onClose={onClose}
      >
        <FrameField part="header" frame={frame} onChange={setFrame} />
        <DialogField label="Text">
          <textarea
            name="text"
            rows={2}
            dir="auto"
            maxLength={interactiveBodyMax}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </DialogField>
        <FrameField part="footer" frame={frame} onChange={setFrame} />
        {places.map((place) => (
          <DialogField key={place} label={`Button ${place + 1}`}>
            <input
              name={`button ${place}`}
              autoComplete="off"
              dir="auto"
              maxLength={buttonTitleMax}
              value={titles[place]}
              onChange={(event) => setTitles(titles.with(place, event.target.value))}
            />
          </DialogField>
        ))}
        <DialogHint>Up to {buttonTitleMax} characters each.</DialogHint>
      </SendForm>
    </ChannelDialog>
  )
}

interface LabelsDialogProps {
  channel: Channel
  /** This contact's labels. */
  labels: readonly string[]
  /** All labels in use. */
  known: readonly string[]
  /** Rejects with words for a person. */
  onChange(labels: readonly string[]): Promise<unknown>
  onClose(): void
}

/** The operator's own labels for a customer, also used by search. */
function LabelsDialog(props: LabelsDialogProps) {
  const { channel, known, onChange, onClose } = props
  // Shows changes, and lets further ones build on them, before they are stored.
  const [labels, setLabels] = useState(props.labels)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const all = [...new Set([...usual, ...known, ...labels])]
  const change = (next: readonly string[]) => {
    setProblem(undefined)
    setLabels(next)
    onChange(next).catch((cause: unknown) => {
      setLabels(labels)
      setProblem(wordsOf(cause))
    })
  }
  const add = () => {
    const added = text.trim()
    if (added !== '' && !labels.includes(added)) change([...labels, added])
    setText('')
  }
  return (
    <ChannelDialog title="Labels" channel={channel} onClose={onClose}>
      <ul className={styles.labels}>
        {all.map((label) => (
          <li key={label}>
            <label>
              <input
                type="checkbox"
                checked={labels.includes(label)}
                onChange={({ target }) =>
                  change(
                    target.checked ? [...labels, label] : labels.filter((one) => one !== label),
                  )
                }
              />
              <span dir="auto">{label}</span>
            </label>
          </li>
        ))}
      </ul>
      <DialogForm action="Add" leave="Close" problem={problem} onSubmit={add} onLeave={onClose}>
        <DialogField label="New label">
          <input
            name="label"
            autoComplete="off"
            dir="auto"
            maxLength={labelMax}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </DialogField>
      </DialogForm>
    </ChannelDialog>
  )
}

interface RepliesDialogProps {
  channel: Channel
  replies: readonly string[]
  /** Rejects with words for a person. */
  onChange(replies: readonly string[]): Promise<unknown>
  /** Called with the text to insert. */
  onChoose(text: string): void
  onClose(): void
}

/** The operator's own quick replies: inserts one into the composer, adds and removes others. */
function RepliesDialog(props: RepliesDialogProps) {
  const { channel, onChange, onChoose, onClose } = props
  // Shows changes, and lets further ones build on them, before they are stored.
  const [replies, setReplies] = useState(props.replies)
  const [text, setText] = useState('')
  const [problem, setProblem] = useState<string>()
  const change = (next: readonly string[]) => {
    setProblem(undefined)
    setReplies(next)
    onChange(next).catch((cause: unknown) => {
      setReplies(replies)
      setProblem(wordsOf(cause))
    })
  }
  const add = () => {
    const added = text.trim()
    if (added === '') return
    if (!replies.includes(added)) change([...replies, added])
    setText('')
  }
  return (
    <ChannelDialog title="Quick replies" channel={channel} onClose={onClose}>
      {replies.length === 0 ? (
        <DialogHint>Texts that you often need. Add the first one below.</DialogHint>
      ) : (
        <ul className={styles.replies}>
          {replies.map((reply) => (
            <li key={reply}>
              <button type="button" dir="auto" onClick={() => onChoose(reply)}>
                {reply}
              </button>
              <IconButton
                icon="trash"
                label={`Delete "${reply}"`}
                isSmall
                onClick={() => change(replies.filter((one) => one !== reply))}
              />
            </li>
          ))}
        </ul>
      )}
      <DialogForm action="Add" leave="Close" problem={problem} onSubmit={add} onLeave={onClose}>
        <DialogField label="New quick reply">
          <textarea
            name="reply"
            rows={2}
            dir="auto"
            maxLength={replyMax}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </DialogField>
      </DialogForm>
    </ChannelDialog>
  )
}
