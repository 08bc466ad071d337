import { isBlank, wordsOf } from '../../../schema/helpers/text.ts'

interface TextSenderOptions {
  initialText: string
  /** Called on every change, also when a send clears the field. */
  onChange(text: string): void
  /** Called with the words of a failure; with undefined when the next attempt starts. */
  onError(words: string | undefined): void
  /** Resolves when the message is stored on the device. */
  store(content: string): Promise<void>
}

export interface TextSender {
  write(text: string): void
  /** Stores the trimmed text. Resolves when nothing is pending. */
  send(): Promise<void>
}

/**
 * The text being written. It clears only after the message is stored (P1). Text typed meanwhile
 * stays; sent meanwhile, it is stored next, in order. A text that cannot be stored returns to the
 * field.
 */
export function createTextSender(options: TextSenderOptions): TextSender {
  const { onChange, onError, store } = options
  /**
   * Pending texts on their way into the database, oldest first; the written text still starts with
   * them.
   */
  const waiting: string[] = []
  let written = options.initialText

  function write(text: string) {
    written = text
    onChange(text)
  }

  async function drain() {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      await store(next.trim())
      waiting.shift()
      if (written.startsWith(next)) write(written.slice(next.length))
    }
  }

  function takeBack(cause: unknown) {
    const lost = waiting.splice(0).join('')
    if (!written.startsWith(lost)) write(lost + written)
    onError(wordsOf(cause, 'Failed to send message'))
  }

  return {
    write,
    async send() {
      const next = dropStart(written, waiting.join(''))
      if (isBlank(next)) return
      onError(undefined)
      waiting.push(next)
      if (waiting.length === 1) await drain().catch(takeBack)
    },
  }
}

function dropStart(text: string, start: string): string {
  return text.startsWith(start) ? text.slice(start.length) : text
}
