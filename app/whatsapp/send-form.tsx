import type { ReactNode } from 'react'
import { whatsAppLimits } from '../../schema/whatsapp-limits.ts'
import { DialogField, DialogForm } from '../ui/forms/dialog-form.tsx'
import { useSubmission } from '../ui/forms/use-submission.ts'
import type { Built, FrameForm } from './build-interactive.ts'
import type { Outgoing } from './channel.ts'

const labels = { header: 'Header (optional)', footer: 'Footer (optional)' }

const maxLengths = { header: whatsAppLimits.headerMax, footer: whatsAppLimits.footerMax }

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

interface FrameFieldProps {
  part: keyof FrameForm
  frame: FrameForm
  onChange(frame: FrameForm): void
}

/** The header or footer line of a message with buttons or a list. */
export function FrameField({ part, frame, onChange }: FrameFieldProps) {
  return (
    <DialogField label={labels[part]}>
      <input
        name={part}
        autoComplete="off"
        dir="auto"
        maxLength={maxLengths[part]}
        value={frame[part]}
        onChange={(event) => onChange({ ...frame, [part]: event.target.value })}
      />
    </DialogField>
  )
}
