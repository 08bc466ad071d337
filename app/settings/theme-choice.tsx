import styles from './settings.module.css'

export interface ThemeChoiceProps {
  themes: readonly { value: string; name: string }[]
  theme: string
  onTheme(value: string): void
}

/** How the app looks on this device. */
export function ThemeChoice({ themes, theme, onTheme }: ThemeChoiceProps) {
  return (
    <fieldset className={styles.choice}>
      <legend>Theme</legend>
      {themes.map(({ value, name }) => (
        <label key={value}>
          <input
            type="radio"
            name="theme"
            checked={value === theme}
            onChange={() => onTheme(value)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  )
}
