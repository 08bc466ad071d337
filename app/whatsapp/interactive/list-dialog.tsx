import { useState } from 'react'
import { whatsAppLimits } from '../../../schema/whatsapp/whatsapp-limits.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { DialogField, DialogHint } from '../../ui/forms/dialog-form.tsx'
import type { Channel } from '../channel/channel.ts'
import { ChannelDialog } from '../channel/channel-dialog.tsx'
import type { Outgoing } from '../channel/outgoing.ts'
import { buildList, type SectionForm } from './build-interactive.ts'
import { FrameField } from './frame-field.tsx'
import { ListSection } from './list-section.tsx'
import { SendForm } from './send-form.tsx'

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
