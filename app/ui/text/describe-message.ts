import { type Lock, lockOf } from '../../../schema/encryption/sealed-part.ts'
import { isBlank } from '../../../schema/helpers/text.ts'
import { limits } from '../../../schema/limits.ts'
import {
  isSticker,
  type MessageDocument,
  type MessageStatus,
  type MessageType,
} from '../../../schema/message.ts'
import { formatDuration } from '../format/format-times.ts'
import { splitStyles } from './split-styles.ts'

const names: Record<MessageStatus, string> = {
  sending: 'Waiting to be sent',
  failed: 'Not sent',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
}

const wordEndWithin = 40

type Described = Pick<
  MessageDocument,
  'type' | 'content' | 'deletedAt' | 'template' | 'file' | 'isSticker'
>

/** What stands in the place of words that cannot be opened here, and what helps. */
export const lockWords: Record<Lock, { title: string; hint: string }> = {
  key: {
    title: 'Waiting for the key',
    hint: 'This message opens when its key reaches this device. Another device of yours may show it.',
  },
  broken: {
    title: 'Cannot be read on this device',
    hint: 'It was damaged on its way, or not sealed for you. Ask for it again.',
  },
  newer: {
    title: 'Update to read this',
    hint: 'A newer version of the app sent this message.',
  },
}

/** The one-line description of a message in a list, a quote or a notification. */
export function describeMessage(message: Described): string {
  if (message.deletedAt !== undefined) return 'This message was deleted'
  const lock = lockOf(message)
  if (lock) return lockWords[lock].title
  const words = stripStyles(message.content).replace(/\s+/g, ' ').trim()
  if (words !== '') return words
  const voice = message.file?.voice
  if (voice) return `Voice message (${formatDuration(voice.durationMs)})`
  return nameMessageType(message) ?? 'Message'
}

/** As `describeMessage`, without the lines that it quotes with `> `, unless it says nothing else. */
export function describeNews(message: Described): string {
  const content = message.content.replace(/^> .*\n?/gm, '')
  return describeMessage(isBlank(content) ? message : { ...message, content })
}

/** What stands for a message in a list's row. */
export interface MessageSketch {
  icon?: 'picture' | 'video' | 'mic' | 'file' | 'block'
  /** A tiny picture, as a data URL, in the icon's place. */
  thumb?: string | undefined
  words: string
  /** What a screen reader says in place of `words`. */
  spoken?: string
}

/** As `describeNews`, for places that draw what it is: 'Photo' beside a small picture, '0:14' beside a microphone. */
export function sketchMessage(message: Described): MessageSketch {
  const described = describeNews(message)
  if (message.deletedAt !== undefined) return { icon: 'block', words: described }
  const { type, file } = message
  const hasWords = stripStyles(message.content).trim() !== ''
  if (type === 'image') {
    return {
      icon: 'picture',
      thumb: file?.preview,
      words: hasWords ? described : isSticker(message) ? 'Sticker' : 'Photo',
    }
  }
  if (type === 'video') return { icon: 'video', thumb: file?.preview, words: described }
  if (type === 'document') return { icon: 'file', words: hasWords ? described : nameFile(message) }
  if (!file?.voice || hasWords) return { words: described }
  return { icon: 'mic', words: formatDuration(file.voice.durationMs), spoken: described }
}

function nameFile({ file }: Described): string {
  return file?.name ?? 'Document'
}

/**
 * The label of a message that is not plain text; undefined for text.
 * Source: decision 61, section 2.
 */
export function nameMessageType(message: Pick<Described, 'type' | 'template'>): string | undefined {
  switch (message.type) {
    case 'text':
      return undefined
    case 'template':
      return `Template: ${readTemplateName(message.template)}`
    case 'interactive':
      return 'Interactive Message'
    default:
      return capitalise(message.type)
  }
}

function readTemplateName(template: unknown): string {
  if (typeof template !== 'object' || template === null || !('name' in template)) return 'unnamed'
  return String(template.name)
}

function capitalise(type: MessageType): string {
  return type.charAt(0).toUpperCase() + type.slice(1)
}

/** A text without the markers that would render as a style, such as `*bold*`. */
export function stripStyles(text: string): string {
  return splitStyles(text)
    .map((part) => part.text)
    .join('')
}

/** At most 40 characters, then '...'. Never splits a character. */
export function cutPreview(text: string): string {
  const characters = [...text]
  const { previewMaxCharacters } = limits
  if (characters.length <= previewMaxCharacters) return text
  return `${characters.slice(0, previewMaxCharacters).join('')}...`
}

/** At most `maxLength` characters and '…', cut at a word's end if one is near. */
export function cutAtWord(text: string, maxLength: number): string {
  const characters = [...text.slice(0, 2 * maxLength + 2)]
  if (characters.length <= maxLength) return text
  const start = characters.slice(0, maxLength + 1).join('')
  const wordEnd = start.search(/\s\S*$/)
  const isNear = wordEnd !== -1 && wordEnd > start.length - wordEndWithin
  return `${isNear ? start.slice(0, wordEnd) : characters.slice(0, maxLength).join('')}…`
}

/** The delivery status of an own message, in words. */
export function nameStatus(status: MessageStatus): string {
  return names[status]
}
