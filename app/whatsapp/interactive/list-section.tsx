import { whatsAppLimits } from '../../../schema/whatsapp/whatsapp-limits.ts'
import { Button } from '../../ui/buttons/button.tsx'
import { DialogField } from '../../ui/forms/dialog-form.tsx'
import styles from '../styles/whatsapp.module.css'
import type { SectionForm } from './build-interactive.ts'

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

const { rowTitleMax, rowDescriptionMax, sectionTitleMax } = whatsAppLimits

/** One section of a list in the form. */
export function ListSection(props: ListSectionProps) {
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
