import { useState } from 'react'
import { useLatest } from '../../ui/hooks/use-latest.ts'
import { createTextSender } from './text-sender.ts'

interface ComposedTextOptions {
  /** Called on mount only. */
  initialText(): string
  /** Called on every change, also when a send clears the field. */
  onChange(text: string): void
  /** Resolves when the message is stored on the device. */
  store(content: string): Promise<void>
}

/** The text being written; rerenders as it changes. */
export function useComposedText(options: ComposedTextOptions) {
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
