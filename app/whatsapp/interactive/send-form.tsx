import { type FormEvent, type ReactNode, useState } from 'react'
import { wordsOf } from '../../../schema/helpers/words-of.ts'
import { Button } from '../../ui/buttons/button.tsx'
import type { Outgoing } from '../channel/outgoing.ts'
import styles from '../styles/whatsapp.module.css'
import type { Built } from './build-interactive.ts'

interface SendFormProps {
  build(): Built
  /** Resolves when the device has stored it. Rejects with words for a person. */
  onSend(outgoing: Outgoing): Promise<void>
  onClose(): void
  children: ReactNode
}

/** A form that sends a message, or shows what is missing. */
export function SendForm({ build, onSend, onClose, children }: SendFormProps) {
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    const built = build()
    if ('problem' in built) return setProblem(built.problem)
    setProblem(undefined)
    setIsBusy(true)
    try {
      await onSend(built.outgoing)
    } catch (cause) {
      setProblem(wordsOf(cause))
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      {children}
      {problem && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <div className={styles.foot}>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" disabled={isBusy}>
          Send
        </Button>
      </div>
    </form>
  )
}
