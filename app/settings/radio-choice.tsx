import { useId } from 'react'
import styles from './settings.module.css'

export interface RadioOption {
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

/** A choice of one of several options: a setting. */
export function RadioChoice(props: RadioChoiceProps) {
  const { legend, options, value, note, isNoted, onChoose } = props
  const id = useId()
  return (
    <fieldset className={styles.choice}>
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={id}
            checked={option.value === value}
            disabled={option.obstacle !== undefined}
            aria-describedby={isNoted?.(option.value) ? `${id}-note` : undefined}
            onChange={() => onChoose(option.value)}
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
  )
}
