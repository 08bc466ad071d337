import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { isBlank, wordsOf } from '../../../schema/helpers/text.ts'
import { limits } from '../../../schema/limits.ts'
import { refuse } from '../../../schema/refusal.ts'
import { IconButton } from '../../ui/buttons/icon-button.tsx'
import { isComposing } from '../../ui/forms/insert-text.ts'
import { useSendsOnEnter } from '../../ui/hooks/kept-settings.ts'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import styles from './composer.module.css'
import type { DrawComposerTools, SendingTools } from './composer-tools.ts'

interface FocusOptions {
  takesFocus: boolean
  /** A change takes the focus again. */
  focusKey: string
}

interface ComposedTextOptions {
  /** Called on mount only. */
  initialText(): string
  /** Called on every change, also when a send clears the field. */
  onChange(text: string): void
  /** Resolves when the message is stored on the device. */
  store(content: string): Promise<void>
}

interface ComposerProps {
  initialText(): string
  /** Why the draft cannot be stored. */
  problem: string | undefined
  submitLabel: string
  /** Take the focus on mount and whenever `focusKey` changes? */
  takesFocus: boolean
  focusKey: string
  /** Shown above the field, such as the message replied to. */
  bar?: ReactNode
  /** Draws the tools before the field. */
  drawTools?: DrawComposerTools | undefined
  /** Passed to the tools, for a new message. */
  sending?: SendingTools
  onType(text: string): void
  /** Resolves when the message is stored on the device; only then the field clears. */
  onSubmit(content: string): Promise<void>
  onCancel(): void
  /** Called for ArrowUp in an empty field. */
  onUp?(): void
}

/**
 * The message field: Enter sends where there is a keyboard, or as set; Shift+Enter starts a new line, Escape
 * cancels.
 */
export function Composer(props: ComposerProps) {
  const { submitLabel, takesFocus, focusKey, onCancel, drawTools, sending } = props
  const sendsOnEnter = useSendsOnEnter()
  const field = useRef<HTMLTextAreaElement>(null)
  const [place, setPlace] = useState<HTMLElement | null>(null)
  const [end, setEnd] = useState<HTMLElement | null>(null)
  const [over, setOver] = useState<HTMLElement | null>(null)
  const { text, write, send, error } = useComposedText({
    initialText: props.initialText,
    onChange: props.onType,
    store: props.onSubmit,
  })

  // Most keys change nothing about the tools: skip their rerender.
  const tools = useMemo(
    () => drawTools?.({ field, place, end, over, sending }),
    [drawTools, place, end, over, sending],
  )

  // Warns while the person writes; never truncates pasted text.
  const isTooLong = text.trim().length > limits.messageMaxCharacters
  const submit = () => {
    if (!isTooLong) void send()
  }

  useFieldHeight(field, text)
  useFieldFocus(field, { takesFocus, focusKey })

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    const isSend = sendsOnEnter ? !event.shiftKey : event.ctrlKey || event.metaKey
    if (event.key === 'Enter' && isSend) {
      event.preventDefault()
      submit()
    }
    if (event.key === 'ArrowUp' && text === '' && !hasModifier(event)) props.onUp?.()
    if (event.key === 'Escape' && props.bar) {
      event.preventDefault()
      onCancel()
    }
  }

  const problem = isTooLong ? refuse('too_long').error : (error ?? props.problem)
  return (
    <div className={styles.composer}>
      {problem && (
        <p className={styles.error} role="alert">
          {problem}
        </p>
      )}
      {props.bar}
      <div className={styles.box}>
        {tools}
        <div className={styles.line}>
          <textarea
            ref={field}
            className={styles.field}
            name="message"
            rows={1}
            placeholder="Type a message"
            aria-label="Type a message"
            enterKeyHint={sendsOnEnter ? 'send' : 'enter'}
            dir="auto"
            aria-invalid={isTooLong || undefined}
            value={text}
            onChange={(event) => write(event.target.value)}
            onKeyDown={onKeyDown}
          />
          {isBlank(text) ? (
            <div ref={setEnd} className={styles.end} />
          ) : (
            <IconButton
              className={styles.send}
              icon="send"
              label={submitLabel}
              // A phone's keyboard stays open only if the field keeps the focus.
              onPointerDown={(event) => event.preventDefault()}
              onClick={submit}
            />
          )}
        </div>
        <div ref={setOver} className={styles.over} />
      </div>
      <div ref={setPlace} className={styles.place} />
    </div>
  )
}

function hasModifier({ shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return shiftKey || ctrlKey || altKey || metaKey
}

/** The text being written; rerenders as it changes. */
function useComposedText(options: ComposedTextOptions) {
  const [text, setText] = useState(options.initialText)
  const [error, setError] = useState<string>()
  const latest = useLatest(options)
  const [{ write, send }] = useState(() =>
    createTextSender({
      initialText: text,
      onChange(text) {
        setText(text)
        latest.current.onChange(text)
      },
      onError: setError,
      store: (content) => latest.current.store(content),
    }),
  )
  return { text, write, send, error }
}

/** Puts the cursor at the end of the field, but on mount not out of another field beside the chat that a person is in. */
function useFieldFocus(
  field: RefObject<HTMLTextAreaElement | null>,
  { takesFocus, focusKey }: FocusOptions,
): void {
  const isMounted = useRef(false)
  useEffect(() => {
    const element = field.current
    const mayTake = isMounted.current || !isInFieldBeside(element)
    isMounted.current = true
    if (!element || !takesFocus || focusKey === undefined || !mayTake) return
    element.focus({ preventScroll: true })
    element.setSelectionRange(element.value.length, element.value.length)
  }, [field, takesFocus, focusKey])
}

/** A chat that is slow to come would take the keys that were meant for the search. */
function isInFieldBeside(element: HTMLElement | null): boolean {
  const { activeElement } = document
  return (
    !!activeElement?.matches('input, textarea') &&
    !element?.closest('main')?.contains(activeElement)
  )
}

/** Grows the field with its text in browsers without `field-sizing`. */
function useFieldHeight(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  useLayoutEffect(() => {
    const element = field.current
    if (!element || CSS.supports('field-sizing', 'content')) return
    element.style.height = text === '' ? '' : 'auto'
    if (text !== '') element.style.height = `${element.scrollHeight}px`
  }, [field, text])
}

interface TextSenderOptions {
  initialText: string
  /** Called on every change, also when a send clears the field. */
  onChange(text: string): void
  /** Called with the words of a failure; with undefined when the next attempt starts. */
  onError(words: string | undefined): void
  /** Resolves when the message is stored on the device. */
  store(content: string): Promise<void>
}

interface TextSender {
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
