import styles from './settings.module.css'

export interface ThemeChoiceProps {
  themes: readonly { value: string; name: string }[]
  theme: string
  /** What the system asks for at the moment. */
  systemNow: 'light' | 'dark'
  onTheme(value: string): void
}

/** How the app looks on this device. */
export function ThemeChoice({ themes, theme, systemNow, onTheme }: ThemeChoiceProps) {
  return (
    <fieldset className={styles.choice}>
      <legend>Theme</legend>
      {themes.map(({ value, name }) => (
        <label key={value}>
          <input
            type="radio"
            name="theme"
            checked={value === theme}
            aria-describedby={value === 'system' ? 'theme-now' : undefined}
            onChange={() => onTheme(value)}
          />
          {name}
        </label>
      ))}
      <p id="theme-now" className={styles.note}>
        System default follows this device: {systemNow} now.
      </p>
    </fieldset>
  )
}
