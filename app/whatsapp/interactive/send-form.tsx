import type { ReactNode } from 'react'
import { DialogForm } from '../../ui/forms/dialog-form.tsx'
import { useSubmission } from '../../ui/forms/use-submission.ts'
import type { Outgoing } from '../channel/outgoing.ts'
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
  const { problem, setProblem, isBusy, run } = useSubmission()

  function submit() {
    const built = build()
    if ('problem' in built) return setProblem(built.problem)
    void run(() => onSend(built.outgoing))
  }

  return (
    <DialogForm action="Send" problem={problem} isBusy={isBusy} onSubmit={submit} onLeave={onClose}>
      {children}
    </DialogForm>
  )
}
