import { useId, useState } from 'react'
import { Button } from '../ui/buttons/button.tsx'
import { Dialog } from '../ui/dialogs/dialog.tsx'
import { Icon } from '../ui/icons/icon.tsx'
import styles from './settings.module.css'

interface RadioOption {
  value: string
  name: string
  /** A wallpaper, shown beside its name. */
  wallpaper?: string
  /** Why the option is unavailable, in words. */
  obstacle?: string | undefined
}

export interface RadioChoiceProps {
  legend: string
  options: readonly RadioOption[]
  value: string
  note?: string
  /** Does the note describe this option? */
  isNoted?(value: string): boolean
  /** `value` is the stored one: it becomes the new one when that is on the device. */
  onChoose(value: string): unknown
}

/** A setting with several options: a row with its value, and a sheet that has them all. */
function RadioChoice(props: RadioChoiceProps) {
  const { legend, options, value } = props
  const [isOpen, setIsOpen] = useState(false)
  const chosen = options.find((option) => option.value === value)
  return (
    <>
      <button
        type="button"
        className={styles.link}
        aria-haspopup="dialog"
        onClick={() => setIsOpen(true)}
      >
        <span className={styles.words}>
          <span>{legend}</span>
          <small>{chosen?.name}</small>
        </span>
        {chosen?.wallpaper && (
          <span className={styles.swatch} data-wallpaper={chosen.wallpaper} aria-hidden />
        )}
        <Icon name="right" size={18} />
      </button>
      {isOpen && <ChoiceSheet {...props} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function ChoiceSheet(props: RadioChoiceProps & { onClose(): void }) {
  const { legend, options, value, note, isNoted, onChoose, onClose } = props
  const id = useId()
  return (
    <Dialog title={legend} onClose={onClose}>
      <fieldset className={styles.options} aria-label={legend}>
        {options.map((option) => (
          <label key={option.value}>
            <input
              type="radio"
              name={id}
              checked={option.value === value}
              disabled={option.obstacle !== undefined}
              aria-describedby={isNoted?.(option.value) ? `${id}-note` : undefined}
              onChange={() => onChoose(option.value)}
              // The arrow keys choose, too, and may be on their way past this one.
              onClick={({ detail }) => detail > 0 && onClose()}
            />
            {option.wallpaper && (
              <span className={styles.swatch} data-wallpaper={option.wallpaper} aria-hidden />
            )}
            <span>
              {option.name}
              {option.obstacle && <span className={styles.obstacle}>{option.obstacle}</span>}
            </span>
          </label>
        ))}
        {note && (
          <p id={`${id}-note`} className={styles.note}>
            {note}
          </p>
        )}
      </fieldset>
      <div className={styles.done}>
        <Button look="quiet" onClick={onClose}>
          Done
        </Button>
      </div>
    </Dialog>
  )
}

export interface SwitchRowProps {
  name: string
  note?: string | undefined
  isOn: boolean
  onChange(isOn: boolean): unknown
}

/** A setting that is on or off. */
export function SwitchRow({ name, note, isOn, onChange }: SwitchRowProps) {
  const id = useId()
  return (
    <label className={styles.row}>
      <span className={styles.words}>
        <span>{name}</span>
        {note && <small id={id}>{note}</small>}
      </span>
      <input
        className={styles.switch}
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        aria-label={name}
        aria-describedby={note ? id : undefined}
        checked={isOn}
        onChange={({ target }) => onChange(target.checked)}
      />
    </label>
  )
}

export type ChoiceProps = RadioChoiceProps | SwitchRowProps

/** Rows of settings, each as its kind wants it. */
export function ChoiceList({ choices }: { choices: readonly ChoiceProps[] }) {
  return (
    <div className={styles.list}>
      {choices.map((choice) =>
        'isOn' in choice ? (
          <SwitchRow key={choice.name} {...choice} />
        ) : (
          <RadioChoice key={choice.legend} {...choice} />
        ),
      )}
    </div>
  )
}
