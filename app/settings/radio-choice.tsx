import { useId, useState } from 'react'
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
  /** Resolves once `value` is the new one, or cannot be. */
  onChoose(value: string): unknown
}

/** A choice of one of several options: a setting. */
export function RadioChoice(props: RadioChoiceProps) {
  const { legend, options, value, note, isNoted, onChoose } = props
  const id = useId()
  /** Shown from the click on, while it is being stored. */
  const [wished, setWished] = useState<string>()
  const shown = wished ?? value
  const choose = async (wish: string) => {
    setWished(wish)
    try {
      await onChoose(wish)
    } finally {
      setWished((now) => (now === wish ? undefined : now))
    }
  }
  return (
    <fieldset className={styles.choice}>
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={id}
            checked={option.value === shown}
            disabled={option.obstacle !== undefined}
            aria-describedby={isNoted?.(option.value) ? `${id}-note` : undefined}
            onChange={() => void choose(option.value)}
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
