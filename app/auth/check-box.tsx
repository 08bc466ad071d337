import styles from './styles/form.module.css'

interface CheckBoxProps {
  label: string
  isChecked: boolean
  onChange(isChecked: boolean): void
}

export function CheckBox({ label, isChecked, onChange }: CheckBoxProps) {
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={isChecked}
        onChange={(event) => onChange(event.target.checked)}
      />
      {label}
    </label>
  )
}
