import { useId, useState } from 'react'
import { wordsOf } from '../../schema/helpers/text.ts'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { DialogField, DialogForm, DialogHint } from '../ui/forms/dialog-form.tsx'

interface AskedField {
  name: string
  label: string
  kind?: 'text' | 'number' | 'lines'
  hint?: string
  value?: string
  maxLength?: number
}

export interface AskDialogProps {
  title: string
  text?: string
  fields: readonly AskedField[]
  action: string
  isDanger?: boolean
  /** Rejects with words for a person. */
  onDo(given: Record<string, string>): Promise<void>
  onClose(): void
}

/** Asks what an action needs, and says what the server refuses. */
export function AskDialog({
  title,
  text,
  fields,
  action,
  isDanger,
  onDo,
  onClose,
}: AskDialogProps) {
  const id = useId()
  const [given, setGiven] = useState<Record<string, string>>(() =>
    Object.fromEntries(fields.map(({ name, value = '' }) => [name, value])),
  )
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)

  async function submit() {
    setProblem(undefined)
    setIsBusy(true)
    try {
      await onDo(
        Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.trim()])),
      )
      onClose()
    } catch (cause) {
      setProblem(wordsOf(cause))
      setIsBusy(false)
    }
  }

  return (
    <Dialog title={title} {...(text !== undefined && { text })} onClose={onClose}>
      <DialogForm
        action={action}
        isDanger={isDanger ?? false}
        isBusy={isBusy}
        problem={problem}
        onLeave={onClose}
        onSubmit={() => void submit()}
      >
        {fields.map(({ name, label, kind = 'text', hint, maxLength }) => {
          const shared = {
            name,
            value: given[name] ?? '',
            maxLength,
            'aria-describedby': hint ? `${id}-${name}` : undefined,
            onChange: (event: { target: { value: string } }) =>
              setGiven({ ...given, [name]: event.target.value }),
          }
          return (
            <div key={name}>
              <DialogField label={label}>
                {kind === 'lines' ? (
                  <textarea {...shared} rows={4} />
                ) : (
                  <input
                    {...shared}
                    type="text"
                    inputMode={kind === 'number' ? 'numeric' : undefined}
                    autoComplete="off"
                  />
                )}
              </DialogField>
              {hint && <DialogHint id={`${id}-${name}`}>{hint}</DialogHint>}
            </div>
          )
        })}
      </DialogForm>
    </Dialog>
  )
}
