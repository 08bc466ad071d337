import { useState } from 'react'
import { whatsAppLimits } from '../../schema/whatsapp-limits.ts'
import { Button } from '../ui/buttons/button.tsx'
import { DialogField, DialogHint } from '../ui/forms/dialog-form.tsx'
import { buildList, type SectionForm } from './build-interactive.ts'
import type { Channel, Outgoing } from './channel.ts'
import { ChannelDialog } from './channel-dialog.tsx'
import { FrameField, SendForm } from './send-form.tsx'
import styles from './styles/whatsapp.module.css'

const { rowTitleMax, rowDescriptionMax, sectionTitleMax } = whatsAppLimits

interface ListDialogProps {
  channel: Channel
  onSend(outgoing: Outgoing): Promise<void>
  onClose(): void
}

const { interactiveBodyMax, listButtonMax, rowsMax, sectionsMax } = whatsAppLimits
const emptyRow = { title: '', description: '' }
const emptySection: SectionForm = { title: '', rows: [emptyRow] }

/** Composes a question with a list of answers. */
export function ListDialog({ channel, onSend, onClose }: ListDialogProps) {
  const [text, setText] = useState('')
  const [frame, setFrame] = useState({ header: '', footer: '' })
  const [button, setButton] = useState('')
  const [sections, setSections] = useState<readonly SectionForm[]>([
    { title: '', rows: [emptyRow, emptyRow] },
  ])
  const rowCount = sections.reduce((count, { rows }) => count + rows.length, 0)
  const canGrow = rowCount < rowsMax
  return (
    <ChannelDialog title="Message with a list" channel={channel} onClose={onClose}>
      <SendForm
        build={() => buildList({ ...frame, text, button, sections })}
        onSend={onSend}
        onClose={onClose}
      >
        <FrameField part="header" frame={frame} onChange={setFrame} />
        <DialogField label="Text">
          <textarea
            name="text"
            rows={2}
            dir="auto"
            maxLength={interactiveBodyMax}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </DialogField>
        <FrameField part="footer" frame={frame} onChange={setFrame} />
        <DialogField label="Button that opens the list">
          <input
            name="list button"
            autoComplete="off"
            dir="auto"
            maxLength={listButtonMax}
            value={button}
            onChange={(event) => setButton(event.target.value)}
          />
        </DialogField>
        {Array.from(sections, (section, index) => ({ section, index })).map(
          ({ section, index }) => (
            <ListSection
              key={index}
              number={index + 1}
              section={section}
              isTitled={sections.length > 1}
              onChange={(changed) => setSections(sections.with(index, changed))}
              onAddRow={
                canGrow ? () => setSections(sections.with(index, addRow(section))) : undefined
              }
            />
          ),
        )}
        {canGrow && sections.length < sectionsMax && (
          <Button look="quiet" onClick={() => setSections([...sections, emptySection])}>
            Add section
          </Button>
        )}
        <DialogHint>Up to {rowsMax} choices in all.</DialogHint>
      </SendForm>
    </ChannelDialog>
  )
}

function addRow(section: SectionForm): SectionForm {
  return { ...section, rows: [...section.rows, emptyRow] }
}

interface ListSectionProps {
  /** From 1. */
  number: number
  section: SectionForm
  /** Does it need a title, because there are others? */
  isTitled: boolean
  onChange(section: SectionForm): void
  /** Absent at WhatsApp's limit. */
  onAddRow: (() => void) | undefined
}

/** One section of a list in the form. */
function ListSection(props: ListSectionProps) {
  const { number, section, isTitled, onChange, onAddRow } = props
  const changeRow = (place: number, change: { title?: string; description?: string }) => {
    const rows = section.rows.map((row, index) => (index === place ? { ...row, ...change } : row))
    onChange({ ...section, rows })
  }
  return (
    <fieldset className={styles.section}>
      <legend>{isTitled ? `Section ${number}` : 'Choices'}</legend>
      {isTitled && (
        <DialogField label={`Title of section ${number}`}>
          <input
            name={`section ${number}`}
            autoComplete="off"
            dir="auto"
            maxLength={sectionTitleMax}
            value={section.title}
            onChange={(event) => onChange({ ...section, title: event.target.value })}
          />
        </DialogField>
      )}
      {Array.from(section.rows.keys(), (place) => (
        <div key={place} className={styles.row}>
          <DialogField label={`Choice ${place + 1}`}>
            <input
              name={`choice ${number} ${place}`}
              autoComplete="off"
              dir="auto"
              maxLength={rowTitleMax}
              value={section.rows[place]?.title}
              onChange={(event) => changeRow(place, { title: event.target.value })}
            />
          </DialogField>
          <DialogField label="Description (optional)">
            <input
              name={`description ${number} ${place}`}
              autoComplete="off"
              dir="auto"
              maxLength={rowDescriptionMax}
              value={section.rows[place]?.description}
              onChange={(event) => changeRow(place, { description: event.target.value })}
            />
          </DialogField>
        </div>
      ))}
      {onAddRow && (
        <Button look="quiet" onClick={onAddRow}>
          Add choice
        </Button>
      )}
    </fieldset>
  )
}
