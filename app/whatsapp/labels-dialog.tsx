import { useState } from 'react'
import { wordsOf } from '../../schema/helpers/words-of.ts'
import { DialogField, DialogForm } from '../ui/forms/dialog-form.tsx'
import type { Channel } from './channel/channel.ts'
import { ChannelDialog } from './channel/channel-dialog.tsx'
import styles from './styles/whatsapp.module.css'

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

const labelMax = 30
const usual = ['New customer', 'New order', 'Pending payment', 'Paid', 'Order complete'] as const

/** The operator's own labels for a customer, also used by search. */
export function LabelsDialog(props: LabelsDialogProps) {
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
