import { whatsAppLimits } from '../../../schema/whatsapp/whatsapp-limits.ts'
import { DialogField } from '../../ui/forms/dialog-form.tsx'
import type { FrameForm } from './build-interactive.ts'

interface FrameFieldProps {
  part: keyof FrameForm
  frame: FrameForm
  onChange(frame: FrameForm): void
}

const labels = { header: 'Header (optional)', footer: 'Footer (optional)' }
const maxLengths = { header: whatsAppLimits.headerMax, footer: whatsAppLimits.footerMax }

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
